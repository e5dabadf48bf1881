"""The mapping of the Library of Congress stylesheet MARC21slim2MODS 3.7 (revision 1.140), as rules."""
