// Tries: to start more threads than it may.
// Success would be seen as: "ESCAPED".
// Expect: ran | killed | memory | timeout
const { Worker } = require("worker_threads");
let started = 0;
for (let i = 0; i < 40; i++) {
  try {
    const worker = new Worker("setInterval(() => {}, 1000)", { eval: true });
    worker.on("error", () => {});
    started += 1;
  } catch (error) {
    console.log(error.code);
  }
}
console.log(started < 20 ? "held" : "ESCAPED");
process.exit(0);
