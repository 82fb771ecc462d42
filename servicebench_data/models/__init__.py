"""The one doorway to models: tasks, the ledger of every call, and what is asked only once.

Belongs here: asking a model and keeping what it answered. Not here: what any task asks (the group's package has it).
"""
