"""Plays the company's agent: scripts, models, callables and endpoints.

Belongs here: all that answers a customer. Not here: the customer, the gate, or how a conversation runs.
"""
