"""All rows of a workspace as plain values, to be moved to another engine and back."""
