"""Self-contained HTML pages: no server, no file beside them, no request to anywhere.

Belongs here: joining a page's parts so that data cannot become markup or script. Not here: any one page.

The content security policy allows the one script and the one style that are in the page, by their digests, and nothing
else; data stands in a block that is never run, and scripts put it on the page as text alone.
"""

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from pathlib import Path

FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


SHARED = Path(__file__).parent / "shared.js"


def assemble_page(title: str, template: Path, data: object, *, before: Sequence[Path] = ()) -> str:
    """A page from `<template>.html`, `.css` and `.js`, with its data.

    Args:
        title: Title of the page; plain text.
        template: Path of the three files without their suffix.
        data: What the script finds as JSON in the element `data`.
        before: Scripts that come before the template's own, such as `SHARED`.
    """
    body, style, own = (template.with_suffix(suffix).read_text(encoding="utf-8") for suffix in (".html", ".css", ".js"))
    script = "".join([*(path.read_text(encoding="utf-8") for path in before), own])
    policy = (
        f"default-src 'none'; script-src {digest_source(script)}; style-src {digest_source(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return FRAME.format(
        policy=policy, title=html.escape(title), style=style, body=body, data=embed_data(data), script=script
    )


def digest_source(text: str) -> str:
    """An inline script or style as the policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def embed_data(data: object) -> str:
    """JSON in which no tag can begin or end."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
