"""Judging conversations by justice: the rubric, judges that score by it, and their ensemble.

Belongs here: everything that turns a transcript into scores with evidence. Not here: playing conversations
(`simulation`), or any measure over many of them.
"""
