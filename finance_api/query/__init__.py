"""The filter grammar: parses text into a `Query`, and knows neither SQL nor HTTP."""
