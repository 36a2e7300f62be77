"""Random programs, which must compute the same before and after every pass."""
