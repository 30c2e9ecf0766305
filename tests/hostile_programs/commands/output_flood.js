// Tries: to drown the caller in output.
// Success would be seen as: more output than the limit.
// Expect: ran
const { writeSync } = require("fs");
for (let i = 0; i < 5000; i++) {
  writeSync(1, "x".repeat(1000));
  writeSync(2, "y".repeat(1000));
}
