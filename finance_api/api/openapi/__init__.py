"""The OpenAPI 3.1 description, made from the declarations of the services."""
