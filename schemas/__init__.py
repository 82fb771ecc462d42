"""What the data is: one pydantic record for each table, and the shape of the files that experts edit.

Belongs here: records, their fields with units and meaning, vocabularies, and (in `industries/`, `complaints/`) expert
knowledge as data. Does not belong here: reading, computing, Dagster, or any library besides pydantic.
"""
