"""What a question asks for in so many words, read by rule."""
