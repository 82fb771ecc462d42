"""The customer of a conversation: by rules or by a model, and what it accepts.

Belongs here: what a customer says and when it agrees. Not here: which facts are open (`gate`, `disclosing.py`), how its
patience moves (`patience.py`), or whether it kept to its role (`faults.py`).
"""
