"""Programs as texts: taken out of replies, normalised, compared, run, and repaired towards a canon."""
