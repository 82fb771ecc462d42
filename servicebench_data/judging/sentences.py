"""Where the sentences of a message begin and end, as far as leaving one of them out is concerned.

Belongs here: the cuts. Not here: what a sentence says (`injections.py`, `reader.py`).
"""

import re

_PLAIN = r"(?:[^\n.!?。！？(<]|<(?!!--)|(?<=\w)\(|\((?![^()\n]*\s[^()\n]*\)))"
#: A comment, a remark in brackets, or a sentence with whatever closes it.
_SENTENCE = re.compile(
    rf"<!--[^\n]*?-->|(?<!\w)\([^()\n]*\s[^()\n]*\)|{_PLAIN}+(?:[.!?](?=\d){_PLAIN}*)*[.!?。！？]*[\"')\]*»”]*|[.!?。！？]+"
)


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Where each sentence of a text begins and ends, in order."""
    return [(match.start(), match.end()) for match in _SENTENCE.finditer(text) if match[0].strip()]
