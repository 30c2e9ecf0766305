// Tries: to start a shell, itself, and a file it wrote.
// Success would be seen as: "ESCAPED".
// Expect: ran
const fs = require("fs");
const child = require("child_process");
fs.writeFileSync("own.sh", "#!/bin/sh\necho started\n", { mode: 0o755 });
const ways = [
  () => child.execSync("echo started"),
  () => child.execFileSync("/bin/sh", ["-c", "echo started"]),
  () => child.execFileSync(process.execPath, ["-e", "console.log('started')"]),
  () => child.execFileSync("./own.sh"),
  () => child.fork("main.js"),
];
for (const way of ways) {
  try {
    console.log("ESCAPED", String(way()));
  } catch (error) {
    console.log(error.code);
  }
}
