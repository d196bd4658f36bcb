// Installs the packed tarball in an empty folder, runs one script there under every runtime, prints
// the matrix, and writes it into docs/contributing/runtimes.md.
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPacked } from "../support/installed.ts";
import { ENGINES } from "./engines.ts";
import { openScene } from "./scene.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const installed = installPacked();
const { scene, close } = await openScene();
const rows: string[] = [];
let failed = 0;
try {
  writeFileSync(
    join(installed.folder, "package.json"),
    JSON.stringify({
      ...JSON.parse(readFileSync(join(installed.folder, "package.json"), "utf8")),
      type: "module",
    }),
  );
  copyFileSync(here("conformance.js"), join(installed.folder, "conformance.js"));
  for (const { name, run } of ENGINES) {
    const found = await run(installed.folder, scene).catch((error: unknown) => ({
      version: "-",
      checks: 1,
      failures: [`it could not be run: ${error}`],
    }));
    const { version, checks, failures } = found;
    failed += failures.length;
    const said = `${checks - failures.length} of ${checks} checks hold`;
    console.log(`${name.padEnd(30)} ${version.padEnd(16)} ${said}`);
    for (const failure of failures) console.log(`    ${failure}`);
    rows.push(`| ${name} | ${version} | ${said} |`);
  }
} finally {
  await close();
  installed.remove();
}

if (!process.argv.includes("--no-write")) {
  const page = here("../../docs/contributing/runtimes.md");
  const table = ["| runtime | version | |", "| --- | --- | --- |", ...rows].join("\n");
  const marked = /(<!-- by npm run runtimes -->\n)[\s\S]*?(<!-- end -->)/;
  writeFileSync(page, readFileSync(page, "utf8").replace(marked, `$1${table}\n$2`));
}
process.exit(failed === 0 ? 0 : 1);
