"""For those who write instruments, subjects or families: a stub endpoint and three conformance checkers."""
