"""All the SQL of onereply: one verb, one function, one statement.

Every verb returns what was won (a record, a bool or None); losing a race is a branch, never an
exception. PostgreSQL's clock decides; tests may pass `now`.
"""
