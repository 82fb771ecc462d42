"""How the data is made: pure functions over tables and records, one package for each group of the pipeline.

Belongs here: everything that can be called and tested without Dagster. Does not belong here: Dagster, schedules, the
command line, or any reading of the environment outside `settings`.
"""
