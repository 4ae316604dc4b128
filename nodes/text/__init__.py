"""What a text is made of: sentences, terms, names, quantities, polarity; English and Korean."""
