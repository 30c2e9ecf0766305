// Tries: to fill the machine's memory with objects.
// Success would be seen as: "ESCAPED".
// Expect: memory | killed
const kept = [];
for (let i = 0; i < 1e9; i++) kept.push({ i, next: [i, i + 1] });
console.log("ESCAPED");
