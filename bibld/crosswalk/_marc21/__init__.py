"""The rules of MARC 21, block by block; ``bibld.crosswalk.marc21`` puts them in order."""
