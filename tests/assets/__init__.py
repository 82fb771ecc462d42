"""Tests of the Dagster graph, its automation and the command line."""
