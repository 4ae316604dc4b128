"""A second opinion on sentences that a model wrote, apart from the product's own judge."""
