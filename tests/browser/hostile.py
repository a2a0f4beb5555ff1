"""A submission that plants a script in every place where a page could show it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.browser.watch import LURE, SAYS
from tests.nbgrader_plugin.classroom import add_first, cell, code, notebook

SCRIPT = f"<script>{SAYS}</script>"
IMAGE = f'<img src=x onerror="{SAYS}">'
SVG = f'<svg onload="{SAYS}"><script>{SAYS}</script></svg>'
FRAME = f'<iframe srcdoc="<script>parent.{SAYS.split(";")[-1]}</script>"></iframe>'
UNFIT = f"eve<img src=x onerror={SAYS.split(';')[0]}>"
"""A student's id is the name of a folder."""

TEXT = f"""Because {SCRIPT} {IMAGE} {SVG} {FRAME}
[a link](javascript:{SAYS}) [entity](java&#115;cript&colon;{SAYS}) [files](files/javascript:{SAYS})

> [quoted](
> javascript:{SAYS}) [defined][d]
>
> [d]:
> javascript:{SAYS}

![lured](https://{LURE}/seen.png) <style>@import url(https://{LURE}/a.css)</style>
<form action="https://{LURE}"><input autofocus onfocus="{SAYS}"></form>
<meta http-equiv="refresh" content="0;url=https://{LURE}/">
<base href="https://{LURE}/"> <link rel=stylesheet href="https://{LURE}/b.css">
$\\href{{javascript:{SAYS}}}{{x}}$
"""
SHOWS = f"""
from IPython.display import HTML, SVG, Javascript, Markdown, display
bad = {(SCRIPT + IMAGE + SVG + FRAME)!r}
display(HTML(bad), Markdown(bad + {TEXT!r}), Javascript({SAYS!r}))
for kind in ("text/html", "image/svg+xml", "text/latex", "image/png", "application/javascript"):
    display({{kind: bad}}, raw=True)
print(bad)
raise type(bad, (Exception,), {{}})(bad)
"""
RAISES = f"def softmax(z, axis=-1):\n    raise ValueError({SCRIPT + IMAGE!r})"


def submission(root: Path) -> dict[str, Any]:
    """The whole of it."""
    nb = add_first(notebook(root, {"softmax": RAISES}), SHOWS)
    for kind in ("markdown", "raw"):
        extra = {"cell_type": kind, "id": kind, "metadata": {"tags": [IMAGE]}, "source": TEXT}
        nb["cells"].insert(2, extra)
    nb["cells"].append(code(f"# {SCRIPT}", "last"))
    nb["cells"][-1]["outputs"] = [
        {"output_type": "display_data", "metadata": {}, "data": {"text/html": SCRIPT + IMAGE}}
    ]
    nb["metadata"]["language_info"] = {"name": "python", "pygments_lexer": f'">{SCRIPT}'}
    nb["metadata"]["title"] = SCRIPT
    cell(nb, "why-scale")["source"] = TEXT
    return nb
