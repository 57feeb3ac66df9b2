"""A server of the Model Context Protocol: this HTTP API as tools for agents.

A tool call is one or two requests with the caller's token.
"""
