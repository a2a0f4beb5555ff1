"""`make demo` and `make bench`: the whole grader at work, and how it compares."""
