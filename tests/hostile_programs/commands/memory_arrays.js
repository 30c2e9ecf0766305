// Tries: to fill the machine's memory with what lies outside the heap of JavaScript.
// Success would be seen as: "ESCAPED".
// Expect: memory | killed
const kept = [];
for (let i = 0; i < 1000; i++) kept.push(new Float64Array(1e6).fill(1));
console.log("ESCAPED");
