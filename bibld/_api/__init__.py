"""What ``import bibld`` offers; everything here is reached through the names of the package ``bibld`` alone."""
