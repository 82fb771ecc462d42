"""A release as a folder of plain files: Parquet, JSON Lines, a dataset card, Croissant metadata.

Belongs here: everything in that folder, made from a published file alone. Not here: choosing what is published.
"""
