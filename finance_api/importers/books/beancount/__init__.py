"""Books of beancount, from what bean-query prints; the file itself is never parsed."""
