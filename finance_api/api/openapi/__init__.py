"""The OpenAPI 3.1 description, made of the declarations that serve."""
