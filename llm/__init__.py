"""The language model: what is asked of it, in what words, and how its failures are sorted."""
