"""Helpers shared by several kinds of tests: programs, a held clock, a service with clients."""
