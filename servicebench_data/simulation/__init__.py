"""Conversations between a customer who knows more than the record and an agent who has to find out (APCS).

Belongs here: experiments, views, gate, customer, agents, offers, ends. Not here: what a conversation is worth
(`judging`), or any measure over many of them.
"""
