// SPDX-License-Identifier: Apache-2.0
// build.mjs [--check] -- makes dist/report.html of src/: one page with its style
// and its script inside, and a policy that allows these two alone, by their
// hashes.  --check writes nothing, and fails if dist/report.html is another.
// The places @TAMIS_...@ are filled in by `tamis report`.

import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const folder = new URL(".", import.meta.url);
const output = new URL("dist/report.html", folder);

async function bundle(entry) {
  const result = await build({
    absWorkingDir: folder.pathname,
    entryPoints: [entry],
    bundle: true,
    charset: "utf8",
    format: "iife",
    legalComments: "none",
    target: "es2020",
    write: false,
  });
  return `\n${result.outputFiles[0].text}`;
}

function hashOf(text) {
  return `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
}

async function makePage() {
  const style = await bundle("src/page.css");
  const script = await bundle("src/main.ts");
  for (const [text, end] of [[style, /<\/style/i], [script, /<\/script|<!--/i]]) {
    if (end.test(text)) throw new Error(`the bundle would end its element early: ${end}`);
  }
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const parts = { "@POLICY@": policy, "@STYLE@": style, "@SCRIPT@": script };
  const template = await readFile(new URL("src/page.html", folder), "utf8");
  return template.replace(/@(POLICY|STYLE|SCRIPT)@/g, (place) => parts[place]);
}

const page = await makePage();
if (process.argv.includes("--check")) {
  const present = await readFile(output, "utf8").catch(() => "");
  if (present !== page) {
    console.error("dist/report.html is not what src/ makes; run: npm run build");
    process.exit(1);
  }
  console.log("dist/report.html is what src/ makes");
} else {
  await mkdir(new URL("dist/", folder), { recursive: true });
  await writeFile(output, page);
  console.log(`dist/report.html: ${Buffer.byteLength(page)} bytes`);
}
