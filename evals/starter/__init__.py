"""A first set of questions for the owner's own documents, drafted for a person to review."""
