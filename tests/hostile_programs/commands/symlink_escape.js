// Tries: to leave its folder by links.
// Success would be seen as: "ESCAPED".
// Expect: ran
const fs = require("fs");
const targets = JSON.parse(fs.readFileSync(0, "utf8"));
for (const [name, target] of [["one", "/etc/passwd"], ["two", targets.canary_file], ["three", "../etc"]]) {
  fs.symlinkSync(target, name);
  try {
    fs.statSync(name);
    console.log("ESCAPED", target);
  } catch (error) {
    console.log(error.code);
  }
  try {
    fs.linkSync(target, name + "-hard");
    console.log("ESCAPED", target);
  } catch (error) {
    console.log(error.code);
  }
}
