class EmbeddedPostgresError(Exception):
    """The embedded server cannot be used; the first line says why and what to do."""
