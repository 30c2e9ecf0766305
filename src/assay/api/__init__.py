"""What people call from Python: run, plan, score, load and audit, and the fixture of pytest.

The command line calls the same functions. Each module is imported when it is used.
"""
