"""Where the places are that records name: towns by their names, coordinates of maps, the outlines of the land."""
