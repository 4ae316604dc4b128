"""Files to pages of text."""
