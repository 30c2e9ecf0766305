// Tries: to end its supervisor, the worker and the caller; then goes down with a signal.
// Success would be seen as: an ordinary program that does not run afterwards.
// Expect: ran | killed
const targets = JSON.parse(require("fs").readFileSync(0, "utf8"));
for (const pid of [process.ppid, 1, 3, targets.caller_pid]) {
  try {
    if (pid > 0 && pid !== process.pid) process.kill(pid, "SIGKILL");
  } catch (error) {
    console.log(error.code);
  }
}
process.kill(-1, "SIGKILL");
