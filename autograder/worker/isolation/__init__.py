"""Backends that hold the student's process: what they enforce, and whether they work here."""
