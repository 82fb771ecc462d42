"""Journeys: stages and categories as tables, the head that codes complaints, topics and their stable ids."""
