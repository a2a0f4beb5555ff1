"""Thin adapters that plug the engine into nbgrader's configured preprocessor lists."""
