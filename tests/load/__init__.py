"""Many conversations at once: `python -m tests.load`. RESULTS.md has what came out."""
