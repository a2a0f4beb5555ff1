"""Start of a process: bind this folder's parent as the package `worker`, then run a module of it.

Arguments: the module, its two arguments, and folders of packages to put on `sys.path`.
"""

import importlib
import importlib.util
import os
import sys


def _bind_package() -> None:
    """Make `worker` importable from its folder, without putting any folder on `sys.path`."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    spec = importlib.util.spec_from_file_location(
        "worker", os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"no package in {folder}")
    package = importlib.util.module_from_spec(spec)
    sys.modules["worker"] = package
    spec.loader.exec_module(package)


if __name__ == "__main__":
    _bind_package()
    sys.path += sys.argv[4:]
    importlib.import_module(sys.argv[1]).main(*sys.argv[2:4])
