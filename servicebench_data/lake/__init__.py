"""Data at rest: what is derived from the records, and how tables are written, found and read.

Belongs here: Arrow and DuckDB schemas, Great Expectations suites and the data dictionary, all from the records; the
Parquet lake; running a suite on a table. Not here: what the tables mean or how they are computed.
"""
