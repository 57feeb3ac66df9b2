"""The filter grammar: parses text to a `Query`, and knows neither SQL nor HTTP."""
