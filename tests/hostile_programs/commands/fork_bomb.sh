# Tries: to start processes without end.
# Success would be seen as: "ESCAPED".
# Expect: ran
(echo ESCAPED) &
bomb() { bomb | bomb & }
bomb
