"""The service's cost, measured through sockets beside two competitors. See docs/performance.md."""
