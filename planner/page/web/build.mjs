// Bundles scripts, styles and licences into the one file that cnnplan report fills with values.
//
// usage: node build.mjs FOLDER_OF_PACKAGES PAGE
import {mkdirSync, readFileSync, readdirSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {dirname, join, resolve} from "node:path";
import {fileURLToPath} from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [packages, page] = process.argv.slice(2).map((path) => resolve(path));
const esbuild = createRequire(join(packages, "package.json"))("esbuild");
const modules = join(packages, "node_modules");

const built = esbuild.buildSync({
  entryPoints: [join(here, "src/main.js")],
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  legalComments: "none", // the page holds the texts of all licences instead
  charset: "utf8",
  format: "iife",
  target: "es2020",
  nodePaths: [modules],
  logLevel: "warning",
});
const style = esbuild.transformSync(readFileSync(join(here, "style.css"), "utf8"), {loader: "css", minify: true});

// Returns the folders of the packages whose files are in the bundle.
function bundledPackages() {
  const found = new Set();
  for (const input of Object.keys(built.metafile.inputs)) {
    const match = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (match) found.add(match[1]);
  }
  return [...found].sort();
}

function licenceOf(name) {
  const folder = join(modules, name);
  const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), "utf8").trim() : `The package has no text; its licence is ${about.license}.`;
  return `${name} ${about.version} (${about.license})\n\n${text}`;
}

const escapeHtml = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
const parts = {
  "@STYLE@": style.code.trim(),
  "@SCRIPT@": built.outputFiles[0].text.trim().replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--"),
  "@LICENCES@": escapeHtml(bundledPackages().map(licenceOf).join("\n\n----\n\n")),
};
let text = readFileSync(join(here, "template.html"), "utf8");
for (const [place, part] of Object.entries(parts)) {
  if (!text.includes(place)) throw new Error(`template.html lacks ${place}`);
  text = text.replace(place, () => part);
}
if (text.split("@REPORT@").length !== 2) throw new Error("the page must hold @REPORT@ once");
mkdirSync(dirname(page), {recursive: true});
writeFileSync(page, text);
