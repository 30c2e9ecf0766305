# Tries: to become another program.
# Success would be seen as: "ESCAPED".
# Expect: ran
exec /bin/sh -c 'echo ESCAPED'
