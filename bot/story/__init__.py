"""A burst told in words: what happened when, and the answer to what people ask about it."""
