"""What the subjects are asked, and how texts are made ready for lineups: probes, redaction, equal lengths."""
