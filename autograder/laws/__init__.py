"""Reusable laws: each function builds one `Property`."""
