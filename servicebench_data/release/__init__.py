"""The published build: counts of every step, the DuckDB file, old builds, and what changed between two of them.

Belongs here: what happens after the scenarios are chosen. Not here: choosing them, or any computation of a group.
"""
