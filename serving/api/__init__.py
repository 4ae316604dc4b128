"""The agent behind REST. FastAPI stays in this package."""
