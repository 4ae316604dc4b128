"""Whether passages hold an answer to a question: a score with its parts, without a model."""
