"""What tells how a run went: clients of the hooks."""
