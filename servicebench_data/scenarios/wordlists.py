"""Reads word lists that are written as text.

Belongs here: that one function. Not here: the lists, which stand beside the rules that use them.
"""


def word_set(text: str) -> frozenset[str]:
    """The words of a text; lists of words are written as texts, since they are read and edited as such."""
    return frozenset(text.split())
