"""Recognition: what a text carries of the system that wrote it. So far signature, drift and machine baselines."""
