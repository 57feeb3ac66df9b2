"""The views of the settings pages: one module for each page of the navigation."""
