import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
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

const QUICKSTART = "examples/quickstart.ts";

/** Every printed code that verifies without a receiver. Each must show how to respond. */
const verifications = printed.filter(({ text }) => /\bverifyWebhook\(/.test(text));
const routes = verifications
  .filter(({ place }) => place !== QUICKSTART)
  .map(({ place, text }, index) => ({
    place,
    args: ["test/docs/support/serve-fetch.ts", join(FOLDER, `route-${index}.ts`)],
    events: join(FOLDER, `route-${index}.db`),
    text: `${text.replace("events.db", `${FOLDER}/route-${index}.db`)}\nexport default { fetch: POST };\n`,
  }));

/** Every page's receiver that listens. Those of the examples have separate tests. */
const receivers = printed
  .filter(
    ({ place, text }) =>
      place.endsWith(".md") && /^import [\s\S]*nodeHandler\([\s\S]*\.listen\(/.test(text),
  )
  .map(({ place, text }, index) => ({
    place,
    args: [join(FOLDER, `receiver-${index}.ts`)],
    text: text
      .replace(/\.listen\(\d+/, ".listen(Number(process.env.PORT)")
      .replace(/sqlite\("/, `sqlite("${FOLDER}/${index}-`)
      .replace('DATA = "."', `DATA = "${FOLDER}"`),
  }));
const servers = [...routes, ...receivers];

describe("a printed verification", () => {
  beforeAll(() => {
    mkdirSync(FOLDER, { recursive: true });
    for (const { args, text } of servers) writeFileSync(args.at(-1) ?? "", text);
  });
  afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

  test("is in the README, in a docstring and in the quickstart", () => {
    const places = verifications.map(({ place }) => place);
    expect(places).toContain("README.md");
    expect(places).toContain("src/webhooks/verification/verify-webhook.ts");
    expect(places).toContain(QUICKSTART);
    expect(receivers.map(({ place }) => place)).toContain("docs/guides/get-started.md");
  });

  test.each(servers)(
    "returns 401 for a forged and an unsigned body, and its process lives: $place",
    async ({ args }) => {
      // No service: what a checkout reads there fails, and the webhook route answers all the same.
      const service = { MALIPO_API_KEY: "sk_1", MALIPO_BASE_URL: "http://127.0.0.1:9/api" };
      const example = await runExample(args, service);
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

  test.each(routes)(
    "has stored the event when it returns 200, and returns none if it cannot store: $place",
    async ({ args, events }) => {
      const example = await runExample(args, {});
      onTestFinished(async () => {
        await example.end("SIGTERM");
      });
      const body = paidFor("ORDER-44");
      const database = new DatabaseSync(events);
      onTestFinished(() => database.close());
      const stored = () =>
        database
          .prepare("SELECT count(*) AS count FROM events WHERE CAST(body AS TEXT) = ?")
          .get(body);
      expect((await example.deliver(body))[0]).toBe(200);
      expect((await example.deliver(body))[0]).toBe(200);
      expect(stored()).toEqual({ count: 1 });
      database.exec("BEGIN EXCLUSIVE");
      const status = await example.deliver(paidFor("ORDER-45")).then(
        ([code]) => code,
        () => "no response",
      );
      expect(status).not.toBe(200);
    },
  );

  test("of the quickstart returns 401 to both, and goes on", () => {
    const { status, stdout } = spawnSync(process.execPath, [QUICKSTART], { encoding: "utf8" });
    expect(status).toBe(0);
    expect(stdout).toMatch(/forged +401\b/);
    expect(stdout).toMatch(/unsigned +401\b/);
  });
});
