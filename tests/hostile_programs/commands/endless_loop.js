// Tries: to use the processor for ever.
// Success would be seen as: a run that does not end.
// Expect: timeout
for (;;);
