// Tries: to reach a listener of the caller.
// Success would be seen as: "ESCAPED", or a connection at the listener.
// Expect: ran
const targets = JSON.parse(require("fs").readFileSync(0, "utf8"));
const net = require("net");
for (const where of [{ port: targets.tcp_port, host: "127.0.0.1" }, { path: "\0" + targets.abstract_name }]) {
  net.connect(where, () => console.log("ESCAPED")).on("error", (error) => console.log(error.code));
}
try {
  const udp = require("dgram").createSocket("udp4");
  udp.on("error", (error) => console.log(error.code));
  udp.send("x", targets.udp_port, "127.0.0.1", (error) => console.log(error ? error.code : "ESCAPED"));
} catch (error) {
  console.log(error.code);
}
