"""What each layer costs by itself: one process, one thread, no sockets."""
