"""What is computed for a request: computed fields, summaries, balances, forecasts."""
