"""Domains of inputs, as plural nouns: where the cases of every law come from.

Each function returns a `Domain`: the *ordinary* branch draws distinct sizes, a scale and a seed,
and fills its arrays from that seed; the *small* branch draws few and small whole numbers, so that
a counterexample shrinks to something a student can follow by hand. Hypothesis is imported only
when a branch is asked for, so that naming a law costs nothing.
"""
