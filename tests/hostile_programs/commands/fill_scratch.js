// Tries: to fill the machine's memory through its folder.
// Success would be seen as: "ESCAPED".
// Expect: ran
const fs = require("fs");
const block = "x".repeat(1 << 20);
try {
  for (let i = 0; i < 200; i++) fs.writeFileSync("file" + i, block);
  console.log("ESCAPED");
} catch (error) {
  console.log(error.code);
}
