"""Small changes to the text of Python functions, as mutation testing makes them.

The operators know Python and NumPy, and no exercise. `mutations` lists the changes of one
definition; `steps` bounds what a changed definition may do.
"""
