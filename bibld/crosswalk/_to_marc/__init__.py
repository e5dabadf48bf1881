"""What the crosswalks from MODS to MARC 21 and to the UNIMARC family share."""
