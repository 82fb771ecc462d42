"""The report: every figure of an experiment and all its transcripts, in one HTML file that needs no network.

Belongs here: reading the published file, drawing, and the page. Not here: any measure; those are views and tables of
the published file, and a figure shows what its SQL file says and nothing else.
"""
