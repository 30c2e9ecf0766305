# Tries: never to finish loading.
# Success would be seen as: a run that does not end.
# Expect: timeout not_run
while True:
    pass
