"""What people see of repeatability: headline, sentences, pictures, programs side by side."""
