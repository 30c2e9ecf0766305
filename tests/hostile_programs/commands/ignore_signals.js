// Tries: to outlive its time by not listening to signals.
// Success would be seen as: a run that does not end.
// Expect: timeout
for (const name of ["SIGTERM", "SIGINT", "SIGHUP", "SIGXCPU"]) process.on(name, () => {});
setInterval(() => {}, 1000);
