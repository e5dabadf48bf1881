// Bundles the editor of the SPARQL page into editor.js of a folder, and writes the licences of its parts beside it.
// Usage: npm ci --ignore-scripts && node build.mjs FOLDER
import { build } from "esbuild";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2];
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: ["editor.js"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  legalComments: "none",
  metafile: true,
  outfile: join(target, "editor.js"),
  banner: { js: "/* Bundled from CodeMirror and others; their licences (MIT) are in editor.licences.txt. */" },
});
const packages = new Set(Object.keys(metafile.inputs)
  .map((name) => name.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//))
  .filter(Boolean).map((found) => found[1]));
const texts = [...packages].sort().map((name) => {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (!file || !existsSync(join(folder, file))) throw new Error(`${name} ${version} (${license}) has no file with its licence`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
});
writeFileSync(join(target, "editor.licences.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
