import { execFile, spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createSandbox, type ServedSandbox } from "malipo/sandbox";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { EXAMPLE_PAGES, PAGES, withTables } from "../../scripts/generate-docs.ts";
import { MANUAL_PAGES } from "../../scripts/manual-pages.ts";

const FOLDER = "test/docs/blocks";
/** Nest needs decorators, so that its shop is compiled by itself. */
const SHOPS = ["express", "fastify", "next"];
const DOCS = ["README.md", "SECURITY.md", "CONTRIBUTING.md", ...MANUAL_PAGES].sort();

interface Block {
  readonly file: string;
  readonly text: string;
  readonly runs: boolean;
}

/** The TypeScript blocks of a page; those marked `run` are run. */
function blocksOf(page: string): Block[] {
  const found = readFileSync(page, "utf8").matchAll(/^```ts( run)?\n([\s\S]*?)^```$/gm);
  return [...found].map(([, run, text = ""], index) => ({
    file: `${page.replace(/\W+/g, "-")}-${index + 1}.ts`,
    text: `${text}\nexport {};\n`,
    runs: run !== undefined,
  }));
}

const blocks = DOCS.flatMap(blocksOf);

describe("the docs", () => {
  let service: ServedSandbox;
  const sandbox = createSandbox({ clock: "real", auto: "approve" });

  beforeAll(async () => {
    mkdirSync(FOLDER, { recursive: true });
    for (const { file, text } of blocks) writeFileSync(join(FOLDER, file), text);
    service = await sandbox.serve({ port: 0 });
  });
  afterAll(async () => {
    await service.close();
    rmSync(FOLDER, { recursive: true });
  });

  // Each block starts with an empty sandbox.
  beforeEach(() => sandbox.reset());

  // One program, since the compiler reads all types of the package: on a busy machine that takes minutes.
  test("have code that compiles, as have the shops of the examples", () => {
    const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript")), "../bin/tsc");
    const config = join(FOLDER, "tsconfig.json");
    // A reader has the declarations of the package, not its sources.
    const compilerOptions = { noUnusedLocals: false, paths: {} };
    const shops = SHOPS.map((name) => `../../../examples/${name}`);
    const options = { compilerOptions, include: ["*.ts", ...shops], exclude: [] };
    writeFileSync(config, JSON.stringify({ extends: "../../../tsconfig.json", ...options }));
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", config], { encoding: "utf8" });
    expect(stdout).toBe("");
  });

  test.each(blocks.filter(({ runs }) => runs))("have code that runs: $file", async ({ file }) => {
    const env = {
      ...process.env,
      MALIPO_API_KEY: sandbox.keys.secret,
      MALIPO_BASE_URL: service.baseUrl,
    };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(FOLDER, file)], {
      env,
    });
    expect(stderr).toBe("");
    // A block prints what its comments promise.
    const promised = readFileSync(join(FOLDER, file), "utf8").matchAll(
      /console\.log\(.*\); \/\/ "(\w+)"/g,
    );
    for (const [, word] of promised) expect(stdout).toContain(word);
  });

  test.each(PAGES)("have tables that match the sources: %s", (page) => {
    const text = readFileSync(page, "utf8");
    expect(text).toMatch(/<!-- generated: [\w-]+ -->\n[|#[-]/);
    expect(text).toBe(withTables(text));
  });

  test.each(EXAMPLE_PAGES)("have the code of the examples: %s", (page) => {
    const text = readFileSync(page, "utf8");
    expect(text).toMatch(/<!-- example: .+ -->\n```typescript\n/);
    expect(text).toBe(withTables(text));
  });

  test("link to files and headings that exist", () => {
    const dead: string[] = [];
    const anchors = (page: string) =>
      [...readFileSync(page, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
        title
          .toLowerCase()
          .replace(/[^\w\s-]/g, "")
          .replace(/\s/g, "-"),
      );
    for (const page of DOCS) {
      for (const [, target = ""] of readFileSync(page, "utf8").matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(target)) continue;
        const [file, anchor] = target.split("#");
        const path = file === "" ? page : join(dirname(page), file ?? "");
        if (globSync(path).length === 0) dead.push(`${page}: ${target}`);
        else if (anchor !== undefined && !anchors(path).includes(anchor))
          dead.push(`${page}: ${target}`);
      }
    }
    expect(dead).toEqual([]);
  });
});
