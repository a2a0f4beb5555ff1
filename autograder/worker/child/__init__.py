"""The process that runs student code. Of ours it imports this folder and `wire`, nothing else.

It is started by path, as `python .../child/__main__.py`, and loads itself under the package name
`worker`; so no module of the grader is on its import path by our doing.
"""
