;(() => {
  "use strict";
  const asked = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const encode = (value, depth) => {
    if (depth > 90) throw new RangeError("a value nested too deeply");
    if (value === null || typeof value === "boolean" || typeof value === "string") return value;
    if (typeof value === "number" && Number.isFinite(value)) {
      if (Number.isSafeInteger(value) && !Object.is(value, -0)) return value;
      return { float: Object.is(value, -0) ? "-0.0" : String(value) };
    }
    if (typeof value === "number") return { float: String(value).replace("Infinity", "inf").toLowerCase() };
    if (Array.isArray(value)) return Array.from(value, (item) => encode(item, depth + 1));
    const plain = value !== undefined && [Object.prototype, null].includes(Object.getPrototypeOf(Object(value)));
    if (typeof value === "object" && plain) {
      return { dict: Object.entries(value).map(([key, item]) => [key, encode(item, depth + 1)]) };
    }
    return { opaque: value === undefined ? "undefined" : String(value.constructor?.name ?? typeof value) };
  };
  const raised = (error) => {
    const bases = [];
    let kind = Object.getPrototypeOf(Object(error));
    while ((kind = Object.getPrototypeOf(kind ?? Object.prototype))) bases.push(String(kind.constructor?.name));
    const name = error instanceof Error ? error.name : String(error?.constructor?.name ?? typeof error);
    return { exception: String(name), message: String(error?.message ?? ""), bases };
  };
  const answer = (found) => process.stdout.write(`\n${asked.token} ${JSON.stringify(found)}\n`);
  let entry;
  try {
    entry = eval(`typeof ${asked.entry_point} !== "undefined" ? ${asked.entry_point} : undefined`);
    entry ??= typeof module.exports === "function" ? module.exports : module.exports?.[asked.entry_point];
  } catch {
    entry = undefined;
  }
  if (typeof entry !== "function") {
    answer({ missing: asked.entry_point });
    return;
  }
  for (const given of asked.cases) {
    try {
      if (asked.kind === "function") {
        answer({ state: "value", value: encode(entry(...given.args), 0) });
        continue;
      }
      const made = new entry(...given.init);
      const results = given.calls.map((call) => {
        try {
          return { value: encode(made[call.method](...call.args), 0) };
        } catch (error) {
          return raised(error);
        }
      });
      answer({ state: "value", value: results });
    } catch (error) {
      answer({ state: "exception", ...raised(error) });
    }
  }
})();
