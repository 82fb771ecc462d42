"""Fixtures of the simulation group, some of them those of the models group."""

from tests.models.conftest import serve, sqlite_url

__all__ = ["serve", "sqlite_url"]
