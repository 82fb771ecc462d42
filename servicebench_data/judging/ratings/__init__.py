"""Ratings by people: what they are asked, the page on which they answer, the files in which their answers are kept.

Belongs here: everything about people's scores up to the table `rating`. Not here: how well judges agree with people,
which is measured over many conversations (`measures/`).

A rating is no override: it changes nothing, and those of several people on one conversation stand side by side.
"""
