"""Tools that the model may call: declared, performed once a burst, and undone if all fails."""
