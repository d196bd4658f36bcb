// The rows of the table in docs/guides/webhook-frameworks.md whose frameworks are not in our package.json: each is built,
// driven and ended with the framework as npm has it.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runExample } from "../../docs/support/example.ts";
import { type Installed, installPacked } from "../../support/installed.ts";
import { installedVersion, shopRows } from "../../support/shop-rows.ts";
import { shell } from "./page.ts";

interface Framework {
  readonly packages: readonly string[];
  /** What the page prints of it. */
  readonly cells: { readonly mount: string; readonly stop: string };
  readonly files: (cells: Framework["cells"]) => Readonly<Record<string, string>>;
  readonly build?: string;
  readonly main: string;
  /** The largest body that reaches the receiver, in bytes; `undefined` if the framework has no limit. */
  readonly limit?: number;
}

const RECEIVER = `
import { sqlite } from "malipo/sqlite";
import { createWebhookReceiver } from "malipo/webhooks";
const db = sqlite(process.env.SHOP_DB ?? "shop.db");
export const receiver = createWebhookReceiver({ inbox: db });
receiver.on("payment.completed", ({ data }) => console.log("ship " + data.account_reference));
export const stop = async () => {
  await receiver.stop();
  await db.close();
};
`;

const ON_FETCH = `
import { fetchHandler } from "malipo/fetch";
import { receiver, stop } from "./receiver.js";
const receive = fetchHandler(receiver);
const port = Number(process.env.PORT);
`;

const FRAMEWORKS: Readonly<Record<string, Framework>> = {
  Koa: {
    packages: ["koa"],
    cells: {
      mount: `app.use((c, next) => (c.path === "/webhooks" ? handle(c.req, c.res) : next()))`,
      stop: "server.close(stop)",
    },
    files: ({ mount, stop }) => ({
      "main.js": `
import Koa from "koa";
import { nodeHandler } from "malipo/node";
import { receiver, stop } from "./receiver.js";
const handle = nodeHandler(receiver);
const app = new Koa();
${mount};
await receiver.start();
const server = app.listen(Number(process.env.PORT));
process.once("SIGTERM", () => ${stop});
`,
    }),
    main: "main.js",
  },
  Hono: {
    packages: ["hono", "@hono/node-server"],
    cells: {
      mount: `app.all("/webhooks", (c) => receive(c.req.raw))`,
      stop: "server.close(stop)",
    },
    files: ({ mount, stop }) => ({
      "main.js": `${ON_FETCH}
import { serve } from "@hono/node-server";
import { Hono } from "hono";
const app = new Hono();
${mount};
await receiver.start();
const server = serve({ fetch: app.fetch, port });
process.once("SIGTERM", () => ${stop});
`,
    }),
    main: "main.js",
  },
  h3: {
    packages: ["h3@2.0.1-rc.20"],
    cells: {
      mount: `app.all("/webhooks", (event) => receive(event.req))`,
      stop: `process.once("SIGTERM", stop)`,
    },
    files: ({ mount, stop }) => ({
      "main.js": `${ON_FETCH}
import { H3, serve } from "h3";
const app = new H3();
${mount};
await receiver.start();
serve(app, { port });
${stop};
`,
    }),
    main: "main.js",
  },
  SvelteKit: {
    packages: [
      ...["@sveltejs/kit@2", "@sveltejs/adapter-node@5", "@sveltejs/vite-plugin-svelte"],
      ...["svelte", "vite"],
    ],
    cells: {
      mount: "export const POST = ({ request }) => receive(request)",
      stop: `process.once("sveltekit:shutdown", stop)`,
    },
    files: ({ mount, stop }) => ({
      "vite.config.js": `import { sveltekit } from "@sveltejs/kit/vite";
export default { plugins: [sveltekit()] };`,
      "svelte.config.js": `import adapter from "@sveltejs/adapter-node";
export default { kit: { adapter: adapter() } };`,
      "src/app.html": "<html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>",
      "src/receiver.js": RECEIVER,
      "src/routes/webhooks/+server.js": `import { fetchHandler } from "malipo/fetch";
import { receiver } from "../../receiver.js";
const receive = fetchHandler(receiver);
${mount};`,
      "src/hooks.server.js": `import { building } from "$app/environment";
import { receiver, stop } from "./receiver.js";
export const init = () => (building ? undefined : receiver.start());
${stop};`,
    }),
    build: "npx vite build",
    main: "build/index.js",
    limit: 524_288,
  },
};

/** A signed delivery of about that many bytes. */
const orderOf = (order: string, bytes: number): string =>
  JSON.stringify({
    event: "payment.completed",
    timestamp: new Date().toISOString(),
    data: { account_reference: order, reference: order, metadata: "x".repeat(bytes - 200) },
  });

describe.each(Object.entries(FRAMEWORKS))("the row of %s", (name, framework) => {
  const { packages, cells, files, build, main, limit } = framework;
  let installed: Installed;
  const [first = ""] = packages.map((one) => one.replace(/(?<=.)@.*/, ""));
  const note = shopRows(() => `${name} ${installedVersion(installed.folder, first)}`);

  beforeAll(() => {
    installed = installPacked(...packages);
    shell("npm pkg set type=module", installed.folder);
    const all = { "receiver.js": RECEIVER, ...files(cells) };
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(installed.folder, path)), { recursive: true });
      installed.write(path, text);
    }
    if (build !== undefined) shell(`MALIPO_WEBHOOK_SECRET=whsec_x ${build}`, installed.folder);
    // The build imports the receiver, and must do nothing.
    expect(existsSync(join(installed.folder, "shop.db"))).toBe(false);
  });
  afterAll(() => installed.remove());

  test("is on the page", () => {
    const page = readFileSync("docs/guides/webhook-frameworks.md", "utf8");
    const row = page.split("\n").find((line) => line.startsWith(`| ${name} |`));
    expect(row).toContain(`\`${cells.mount}\``);
    expect(row).toContain(cells.stop);
  });

  test("receives, has the limit that the page names, and ends at SIGTERM", async () => {
    // Some servers do not end gracefully in tests.
    const env = { SHOP_DB: join(installed.folder, "shop.db"), CI: "", TEST: "" };
    const shop = await runExample([join(installed.folder, main)], env);
    expect(await shop.post(orderOf("SMALL", 1_000))).toBe(200);
    expect(await shop.post(orderOf("LARGE", 1_000_000))).toBe(limit === undefined ? 200 : 413);
    if (limit !== undefined) {
      expect(await shop.post(orderOf("UNDER", limit - 1_000))).toBe(200);
      expect(await shop.post(orderOf("OVER", limit + 1_000))).toBe(413);
    }
    await expect.poll(shop.printed).toContain("ship SMALL");
    expect(await shop.end("SIGTERM")).toBe(0);
    note(`200, ${limit === undefined ? "no limit" : `413 above ${limit} bytes`}; ship SMALL`);
  });
});
