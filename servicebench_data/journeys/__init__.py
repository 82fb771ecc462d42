"""Journeys: stages and categories as tables, the head that codes complaints, topics and their stable ids.

Belongs here: everything between a complaint and its category. Not here: the maps themselves (`schemas/industries/`).
"""
