"""Scenarios written by a model: five tasks, each with its prompt, its answer and what is checked.

Belongs here: what a model is asked for a scenario, and how its answers become rows. Not here: asking (`models`), the
rules that need no model, and the checks that whoever made the parts must pass (`grounding.py`).
"""
