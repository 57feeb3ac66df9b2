"""The cost of each layer by itself: one process, one thread, no sockets."""
