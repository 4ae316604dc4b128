"""What the index does in how much time and memory, with its peers beside it: `make bench-index`."""
