"""The gate: what an agent's message does to a customer, and which closed facts it opens, read from the message alone.

Belongs here: the offline rules and the model task that read it. Not here: what follows for patience or disclosure.
"""
