"""What every implementation behind a port has to keep."""
