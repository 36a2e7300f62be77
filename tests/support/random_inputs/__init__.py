"""Valid inputs that are changed at random, and what must hold of whatever comes of it."""
