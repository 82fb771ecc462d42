"""Scenarios: the parts made from one dialogue by offline rules, their checks, and the choice of the released set.

Belongs here: extraction, rewriting, events, facts, background, expectation, severity, case record, grounding,
assembly and allocation. Not here: reading posts (`dialogues`) and coding them (`journeys`).
"""
