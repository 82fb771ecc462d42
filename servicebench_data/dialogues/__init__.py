"""Posts read, threads rebuilt, text cleaned, people masked, language told, complaints kept.

Belongs here: everything from a file of posts to the dialogues that later groups read. Not here: topics, codes,
scenarios.
"""
