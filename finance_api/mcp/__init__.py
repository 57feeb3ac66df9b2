"""A server of the Model Context Protocol: this HTTP API as tools of an agent.

It holds no data and reads none: each call of a tool is one or two requests with the caller's token.
Of the package it knows the declarations of the resources alone.
"""
