"""A server of the Model Context Protocol: this HTTP API as tools of an agent.

It stores no data and opens no storage: a tool call is one or two requests with the caller's token.
It imports only the declarations of the resources from the rest of the package.
"""
