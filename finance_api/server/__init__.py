"""The WSGI entry point, and granian, the production server."""
