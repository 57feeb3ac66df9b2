"""The views of the pages, in one module for each page or group of pages."""
