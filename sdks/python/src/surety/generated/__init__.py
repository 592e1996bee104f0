"""Generated modules."""
