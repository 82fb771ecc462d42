"""Measures: what the results of experiments say, with their uncertainty.

Belongs here: `facts.sql`, what is known of each conversation, and every statistic that is computed from it, by
statsmodels, scipy and scikit-learn, which are imported where they are used. Not here: holding or judging conversations,
or drawing anything.
"""
