"""The model client: calls, budget, ledger."""
