import { execFile } from "node:child_process";
import { createSandbox, type Sandbox, type ServedSandbox } from "malipo/sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ENDPOINTS, type Endpoint } from "../../../src/contract/endpoints.ts";
import { EVENT_KINDS } from "../../../src/contract/events.ts";
import { COMMANDS, CONTROL_PREFIX } from "../../../src/sandbox/control/commands.ts";
import type { Command } from "../../../src/sandbox/control/define-command.ts";
import { QUERIES } from "../../../src/sandbox/control/queries.ts";
import type { Document } from "../../../src/sandbox/page/docs/docs-operations.ts";
import { renderDocument } from "../../../src/sandbox/page/docs/docs-page.ts";

let sandbox: Sandbox;
let served: ServedSandbox;
beforeEach(async () => {
  sandbox = createSandbox({ deliver: async () => new Response() });
  served = await sandbox.serve({ port: 0 });
});
afterEach(() => served.close());

const get = (path: string, init: RequestInit = {}) => fetch(served.url + path, init);
const page = async (path: string) => (await get(path)).text();

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};
const plain = (markup: string) =>
  markup.replace(/<[^>]*>/g, "").replace(/&[#\w]+;/g, (one) => ENTITIES[one] ?? one);

/** The commands that the page shows. */
const curls = (markup: string) =>
  [...markup.matchAll(/<pre><code>(curl[\s\S]*?)<\/code><\/pre>/g)].map(([, one = ""]) =>
    plain(one),
  );

describe("/docs", () => {
  test("shows every endpoint and every event of the service", async () => {
    const text = plain(await page("/docs"));
    for (const { method, path } of Object.values<Endpoint>(ENDPOINTS)) {
      expect(text).toContain(`${method} ${path}`);
    }
    for (const kind of EVENT_KINDS) expect(text).toContain(kind);
    expect(text).toContain(served.baseUrl);
  });

  test("shows every command and every query of the control API", async () => {
    const text = plain(await page("/docs/control"));
    for (const path of Object.keys(QUERIES)) expect(text).toContain(`GET ${path}`);
    for (const { path } of Object.values<Command>(COMMANDS)) {
      if (path !== undefined) expect(text).toContain(`POST ${path}`);
    }
    expect(text).toContain(served.url + CONTROL_PREFIX);
  });

  test.each(["/docs", "/docs/control"])(
    "has commands that the sandbox understands: %s",
    async (path) => {
      const commands = curls(await page(path));
      expect(commands.length).toBeGreaterThanOrEqual(18);
      for (const command of commands) {
        const { stdout, status } = await run(command, { MALIPO_API_KEY: sandbox.keys.secret });
        expect([command, status]).toEqual([command, 0]);
        const { success, error = "" } = JSON.parse(stdout);
        expect([command, typeof success]).toEqual([command, "boolean"]);
        // An id that does not exist is the reader's to replace. A path that does not exist is ours.
        expect([command, error]).toEqual([
          command,
          expect.not.stringMatching(/no endpoint|nothing at|JSON|API key|does not take/i),
        ]);
      }
    },
  );

  test("holds no key and no secret", async () => {
    const { keys, webhookSecret } = sandbox;
    for (const path of ["/docs", "/docs/control"]) {
      const text = await page(path);
      for (const secret of [...Object.values(keys), webhookSecret]) {
        expect(text).not.toContain(secret);
      }
    }
  });

  test("needs nothing from elsewhere and no script", async () => {
    const response = await get("/docs");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(response.headers.get("content-security-policy")).not.toContain("script-src");
    const markup = await response.text();
    expect(markup).not.toMatch(/<script| style=| on\w+=/);
    for (const [, target = ""] of markup.matchAll(/<(?:link|img)[^>]*(?:href|src)="([^"]*)"/g)) {
      expect(target).toMatch(/^(\/docs\/|data:)/);
    }
    expect((await get("/docs/style.css")).headers.get("content-type")).toMatch("text/css");
  });

  test("has links only to what there is", async () => {
    for (const path of ["/docs", "/docs/control"]) {
      const markup = await page(path);
      const ids = [...markup.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const [, target = ""] of markup.matchAll(/<a[^>]* href="([^"]*)"/g)) {
        if (target.startsWith("#")) expect(ids).toContain(target.slice(1));
        else expect([target, (await get(target)).status]).toEqual([target, 200]);
      }
    }
  });

  test("is for this machine, by GET, and says what there is", async () => {
    const forged = await run(`curl -s -H 'Host: attacker.example' ${served.url}/docs`);
    expect(JSON.parse(forged.stdout).error).toContain("only from its own machine");
    expect((await get("/docs", { method: "POST" })).status).toBe(405);
    const missing = await get("/docs/none");
    expect([missing.status, (await missing.json()).error]).toEqual([
      404,
      expect.stringContaining("/docs/control"),
    ]);
  });
});

test("a document cannot bring markup into its page", () => {
  const hostile = '<img src=x onerror="alert(1)">';
  const operation = {
    operationId: hostile,
    summary: hostile,
    description: `\`${hostile}\`\n\n${hostile}`,
    tags: [hostile],
    responses: { [hostile]: { description: hostile } },
    parameters: [{ name: hostile, in: hostile, description: hostile, schema: { const: hostile } }],
    requestBody: {
      content: {
        "application/json": {
          schema: { properties: { [hostile]: { description: hostile } } },
          example: hostile,
        },
      },
    },
  };
  const document: Document = {
    info: { title: hostile, description: hostile },
    servers: [{ url: hostile }],
    paths: { [hostile]: { [hostile]: operation } },
    webhooks: { [hostile]: { post: operation } },
  };
  expect(renderDocument(document, "/docs")).not.toContain("<img");
});

/** A command in a shell. The server is in this process: a call that blocks would never return. */
async function run(
  command: string,
  env: Record<string, string> = {},
): Promise<{ stdout: string; status: number }> {
  return new Promise((resolve) => {
    execFile("sh", ["-c", command], { env: { ...process.env, ...env } }, (error, stdout) =>
      resolve({ stdout, status: error === null ? 0 : 1 }),
    );
  });
}
