import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SCRIPT = join(ROOT, "scripts/docs.ts");
const ADDRESS = "http://localhost:4173/";

// Programs that do not build, so that the test is about what the script says.
const folder = mkdtempSync(join(tmpdir(), "malipo-docs-"));
afterAll(() => rmSync(folder, { recursive: true }));
const programs = {
  typedoc: "",
  node: "",
  vitepress: `if [ "$1" = preview ]; then echo "  Local: ${ADDRESS}"; sleep 1; fi`,
  "xdg-open": `echo "$1" > '${join(folder, "opened")}'`,
  open: `echo "$1" > '${join(folder, "opened")}'`,
};
for (const [name, script] of Object.entries(programs)) {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

const docs = (...args: string[]) =>
  spawnSync(process.execPath, [SCRIPT, ...args], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
  });

test("npm run docs says how to read what it has built", () => {
  const { status, stderr } = docs();
  expect(status).toBe(0);
  expect(stderr).toContain("Manual, step 2 of 3: the pages");
  expect(stderr).toContain("The manual is built. To read it: npm run docs -- --open");
});

test("npm run docs -- --open serves the manual, prints its address and opens it", async () => {
  const { stderr } = docs("--open");
  expect(stderr).toContain(`The manual is at ${ADDRESS} until you press Ctrl-C.`);
  await expect.poll(() => readFileSync(join(folder, "opened"), "utf8")).toBe(`${ADDRESS}\n`);
});

test("npm run docs stops at the step that fails", () => {
  writeFileSync(join(folder, "typedoc"), "#!/bin/sh\nexit 3\n");
  const { status, stderr } = docs();
  expect([status, stderr]).toEqual([3, expect.not.stringContaining("The manual is built")]);
});
