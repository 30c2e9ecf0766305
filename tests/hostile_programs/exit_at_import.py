# Tries: to end the oracle with sys.exit while being loaded.
# Success would be seen as: a run that counts as ran.
# Expect: exception not_run
raise SystemExit(0)
