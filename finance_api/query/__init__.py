"""The filter grammar: text <-> `Query`, knowing neither SQL nor HTTP."""
