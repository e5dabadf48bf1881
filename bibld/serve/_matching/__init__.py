"""Files that anybody sends to be matched with the release: their pages, and the processes that match them."""
