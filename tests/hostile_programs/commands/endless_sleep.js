// Tries: to wait for ever.
// Success would be seen as: a run that does not end.
// Expect: timeout
setTimeout(() => {}, 1e9);
