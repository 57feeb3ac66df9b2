"""Everything computed for a request: computed fields, summaries, balances, forecasts."""
