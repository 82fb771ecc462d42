"""Tests, in the folders of the floors and groups that they test; helpers that several of them share lie at the top."""
