// Tries: to write anywhere but in its own folder, over its program's files too.
// Success would be seen as: "ESCAPED", or a file beside the canary.
// Expect: ran
const fs = require("fs");
const targets = JSON.parse(fs.readFileSync(0, "utf8"));
const places = ["/was-here", "/dev/was-here", "/input/stdin", "/input/was-here", "/usr/was-here", "../was-here",
  process.execPath, targets.canary_file, targets.folder + "/was-here"];
for (const place of places) {
  try {
    fs.writeFileSync(place, "x");
    console.log("ESCAPED", place);
  } catch (error) {
    console.log(error.code);
  }
}
fs.writeFileSync("own", "x");
