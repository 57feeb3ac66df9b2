"""What the service costs, measured through sockets beside two peers. See docs/performance.md."""
