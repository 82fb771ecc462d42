"""Review by people: a page and a CSV of items to decide on, and the decisions kept as overrides.

Belongs here: what is the same for every kind of item (forms, page, CSV, merging, staleness). Not here: any kind of
item; the group that owns topics, scenarios or ratings says what a reviewer sees of them and what a decision changes.
"""
