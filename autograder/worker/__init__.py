"""Student code in processes of its own. This file imports nothing: the child loads it too."""
