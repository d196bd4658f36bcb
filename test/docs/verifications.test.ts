import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { MANUAL_PAGES } from "../../scripts/manual-pages.ts";
import { codeBlocks, docstringExamples } from "./support/blocks.ts";
import { paidFor, runExample, signatureOf } from "./support/example.ts";

const FOLDER = "test/docs/verifications";

const pages = ["README.md", "SECURITY.md", "CONTRIBUTING.md", ...MANUAL_PAGES];
const printed = [
  ...pages.flatMap((page) =>
    ["ts", "typescript", "js"].flatMap((language) =>
      codeBlocks(page, language).map((text) => ({ place: page, text })),
    ),
  ),
  ...globSync("src/**/*.ts").flatMap((file) =>
    docstringExamples(file).map((text) => ({ place: file, text })),
  ),
  ...globSync("examples/**/*.{ts,tsx}").map((file) => ({
    place: file,
    text: readFileSync(file, "utf8"),
  })),
];

/** Every printed code that verifies without a receiver. Each must show how to respond. */
const verifications = printed
  .filter(({ text }) => /\bverifyWebhook\(/.test(text))
  .map((one, index) => ({ ...one, file: join(FOLDER, `${index}.ts`) }));

const QUICKSTART = "examples/quickstart.ts";
const routes = verifications.filter(({ place }) => place !== QUICKSTART);

describe("a printed verification", () => {
  beforeAll(() => {
    mkdirSync(FOLDER, { recursive: true });
    for (const { file, text } of routes) {
      writeFileSync(file, `${text}\nexport default { fetch: POST };\n`);
    }
  });
  afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

  test("is in the README, in a docstring and in the quickstart", () => {
    const places = verifications.map(({ place }) => place);
    expect(places).toContain("README.md");
    expect(places).toContain("src/webhooks/verification/verify.ts");
    expect(places).toContain(QUICKSTART);
  });

  test.each(routes)(
    "returns 401 for a forged and an unsigned body, and its process lives: $place",
    async ({ file }) => {
      const example = await runExample(["test/docs/support/serve-fetch.ts", file], {});
      onTestFinished(async () => {
        await example.end("SIGTERM");
      });
      const body = paidFor("ORDER-42");
      const statusOf = async (sent: string, headers?: Record<string, string>) =>
        (await example.deliver(sent, headers))[0];
      expect(await statusOf(body, {})).toBe(401);
      expect(await statusOf(body, signatureOf(`${body} `))).toBe(401);
      expect(await statusOf("[]")).toBe(400);
      expect(await statusOf(body)).toBe(200);
    },
  );

  test("of the quickstart returns 401 to both, and goes on", () => {
    const { status, stdout } = spawnSync(process.execPath, [QUICKSTART], { encoding: "utf8" });
    expect(status).toBe(0);
    expect(stdout).toMatch(/forged +401\b/);
    expect(stdout).toMatch(/unsigned +401\b/);
  });
});
