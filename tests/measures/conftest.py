"""What tests of several measures share.

Belongs here: fixtures. Not here: data (`people.py`, `worlds.py`, `talks.py`).
"""

import pytest

from servicebench_data.measures import concordance


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many resamples as tests of anything but the intervals need."""
    monkeypatch.setattr(concordance, "DRAWS", 200)
