"""Assets of the dialogues group: posts, turns, dialogues, and which of them are complaints.

Belongs here: which function makes which table of which inputs. Not here: any rule about posts.
"""
