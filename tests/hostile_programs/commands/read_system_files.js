// Tries: to read files of the machine, of its user and of the caller.
// Success would be seen as: "ESCAPED".
// Expect: ran
const fs = require("fs");
const targets = JSON.parse(fs.readFileSync(0, "utf8"));
const paths = ["/etc/passwd", "/etc/hostname", "/proc/self/environ", "/proc/1/environ", "/sys/kernel", "/root",
  "/home", "/dev/stdin/../../etc/passwd", targets.canary_file, targets.folder, targets.home, targets.repository];
for (const path of paths) {
  for (const way of [fs.readFileSync, fs.readdirSync]) {
    try {
      way(path);
      console.log("ESCAPED", path);
    } catch (error) {
      console.log(error.code);
    }
  }
}
