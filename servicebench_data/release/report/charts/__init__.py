"""Charts as SVG: a few kinds, one look.

Belongs here: shapes, scales and axes that know nothing of justice or agents. Not here: what is shown in them, colours
(the page's style sheet), or any query.
"""
