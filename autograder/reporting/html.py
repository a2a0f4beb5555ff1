"""Pages: results as HTML by Jinja2, which escapes every value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from autograder.reporting.audit import AuditReport, counts, findings, sign, verdict
from autograder.reporting.text import points


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("autograder.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["points"] = points
    return made


def audit_page(report: AuditReport) -> str:
    """The kill matrices of an audit as one page that needs no other file."""
    return _render(
        "audit.html.j2",
        report=report,
        findings=list(findings(report)),
        verdict=verdict(report),
        counts=counts,
        sign=sign,
    )


def _render(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(**values)


def write_page(path: Path, page: str) -> None:
    """Write a page, with the folders that lead to it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")
