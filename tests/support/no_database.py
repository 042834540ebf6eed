"""URLs that lead to no database, and what a command says of each."""

NO_DATABASE = [
    ("postgresql://nobody@127.0.0.1:1/nothing", "DATABASE_URL: not reached"),
    ("mysql://localhost", "DATABASE_URL: must begin with postgresql://"),
]
