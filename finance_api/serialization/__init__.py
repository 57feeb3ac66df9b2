"""The bytes of answers: rows as JSON, NDJSON, CSV and workbooks."""
