"""What tests of several kinds use: programs, a held clock, a service with its clients."""
