"""The report's figures, a module for each question that they answer together.

Belongs here: what is drawn of which answer. Not here: shapes (`charts/`), or the order on the page (`sections.py`).
"""
