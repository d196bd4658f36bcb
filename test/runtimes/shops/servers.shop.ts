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
  /** What Node.js runs: a file of the folder, and what it takes. */
  readonly args: readonly [file: string, ...rest: string[]];
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
    args: ["main.js"],
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
    args: ["main.js"],
  },
  h3: {
    packages: ["h3@2.0.1-rc.20"],
    cells: {
      mount: `app.all("/webhooks", (event) => receive(event.req))`,
      stop: "stop()",
    },
    files: ({ mount, stop }) => ({
      "main.js": `${ON_FETCH}
import { H3, serve } from "h3";
const app = new H3();
${mount};
await receiver.start();
serve(app, { port });
process.once("SIGTERM", () => ${stop});
`,
    }),
    args: ["main.js"],
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
    args: ["build/index.js"],
    limit: 524_288,
  },
  srvx: {
    packages: ["srvx"],
    cells: { mount: "serve({ fetch: receive })", stop: "stop()" },
    files: ({ mount, stop }) => ({
      "main.js": `${ON_FETCH}
import { serve } from "srvx";
await receiver.start();
${mount.replace("receive }", "receive, port }")};
process.once("SIGTERM", () => ${stop});
`,
    }),
    args: ["main.js"],
  },
  Elysia: {
    packages: ["elysia", "@elysiajs/node"],
    cells: {
      mount: `app.post("/webhooks", ({ request }) => receive(request), { parse: "none" })`,
      stop: "stop().then(process.exit)",
    },
    files: ({ mount, stop }) => ({
      "main.js": `${ON_FETCH}
import { node } from "@elysiajs/node";
import { Elysia } from "elysia";
const app = new Elysia({ adapter: node() });
${mount};
await receiver.start();
app.listen(port);
process.once("SIGTERM", () => ${stop});
`,
    }),
    args: ["main.js"],
  },
  Nuxt: {
    packages: ["nuxt"],
    cells: {
      mount: "defineEventHandler((event) => receive(toWebRequest(event)))",
      stop: `nitro.hooks.hook("close", stop)`,
    },
    files: ({ mount, stop }) => ({
      "nuxt.config.ts": `export default defineNuxtConfig({ telemetry: false, compatibilityDate: "2026-01-01" });`,
      "app/app.vue": "<template><p>Shop</p></template>",
      "server/utils/receiver.js": RECEIVER,
      "server/routes/webhooks.post.ts": `import { fetchHandler } from "malipo/fetch";
import { receiver } from "../utils/receiver.js";
const receive = fetchHandler(receiver);
export default ${mount};`,
      "server/plugins/receiver.ts": `import { receiver, stop } from "../utils/receiver.js";
export default defineNitroPlugin(async (nitro) => {
  if (import.meta.prerender) return;
  await receiver.start();
  ${stop};
});`,
    }),
    build: "npx nuxt build",
    args: [".output/server/index.mjs"],
  },
  Astro: {
    packages: ["astro", "@astrojs/node"],
    cells: {
      mount: "export const POST = ({ request }) => receive(request)",
      stop: "stop().then(process.exit)",
    },
    files: ({ mount, stop }) => ({
      "astro.config.mjs": `import node from "@astrojs/node";
export default { adapter: node({ mode: "standalone" }), output: "server" };`,
      "src/receiver.js": RECEIVER,
      "src/pages/webhooks.js": `import { fetchHandler } from "malipo/fetch";
import { receiver } from "../receiver.js";
const receive = fetchHandler(receiver);
${mount};`,
      "src/middleware.js": `import { receiver, stop } from "./receiver.js";
await receiver.start();
process.once("SIGTERM", () => ${stop});
export const onRequest = (_, next) => next();`,
    }),
    build: "ASTRO_TELEMETRY_DISABLED=1 npx astro build",
    args: ["dist/server/entry.mjs"],
  },
  "React Router": {
    packages: [
      ...["@react-router/dev@8.4.0", "@react-router/node@8.4.0", "@react-router/serve@8.4.0"],
      ...["react-router@8.4.0", "react", "react-dom", "isbot", "vite"],
    ],
    cells: {
      mount: "export const action = ({ request }) => receive(request)",
      stop: "stop()",
    },
    files: ({ mount, stop }) => ({
      "vite.config.js": `import { reactRouter } from "@react-router/dev/vite";
export default { plugins: [reactRouter()] };`,
      "app/receiver.js": RECEIVER,
      "app/root.jsx": `import { Outlet } from "react-router";
export default () => <html><body><Outlet /></body></html>;`,
      "app/routes.js": `import { route } from "@react-router/dev/routes";
export default [route("webhooks", "./webhooks.js")];`,
      "app/webhooks.js": `import { fetchHandler } from "malipo/fetch";
import { receiver } from "./receiver.js";
const receive = fetchHandler(receiver);
${mount};`,
      "app/entry.server.jsx": `import { receiver, stop } from "./receiver.js";
await receiver.start();
process.once("SIGTERM", () => ${stop});
export default () => new Response("Shop");`,
    }),
    build: "npx react-router build",
    args: ["node_modules/@react-router/serve/bin.cjs", "build/server/index.js"],
  },
  "TanStack Start": {
    packages: [
      ...["@tanstack/react-start", "@tanstack/react-router", "react", "react-dom"],
      ...["vite", "@vitejs/plugin-react", "srvx"],
    ],
    cells: {
      mount: "server: { handlers: { POST: ({ request }) => receive(request) } }",
      stop: "stop()",
    },
    files: ({ mount, stop }) => ({
      "vite.config.js": `import { tanstackStart } from "@tanstack/react-start/plugin/vite";
import react from "@vitejs/plugin-react";
export default { plugins: [tanstackStart(), react()] };`,
      "src/receiver.js": RECEIVER,
      "src/router.jsx": `import { createRouter } from "@tanstack/react-router";
import { routeTree } from "./routeTree.gen";
export const getRouter = () => createRouter({ routeTree });`,
      "src/routes/__root.jsx": `import { createRootRoute, Outlet } from "@tanstack/react-router";
export const Route = createRootRoute({ component: () => <html><body><Outlet /></body></html> });`,
      "src/routes/webhooks.js": `import { createFileRoute } from "@tanstack/react-router";
import { fetchHandler } from "malipo/fetch";
import { receiver } from "../receiver.js";
const receive = fetchHandler(receiver);
export const Route = createFileRoute("/webhooks")({ ${mount} });`,
      "src/server.js": `import handler from "@tanstack/react-start/server-entry";
import { receiver, stop } from "./receiver.js";
await receiver.start();
process.once("SIGTERM", () => ${stop});
export default { fetch: handler.fetch };`,
    }),
    build: "npx vite build",
    args: ["node_modules/srvx/bin/srvx.mjs", "--prod", "dist/server/server.js"],
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
  const { packages, cells, files, build, args, limit } = framework;
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
    const env = { SHOP_DB: join(installed.folder, "shop.db"), HOST: "127.0.0.1", CI: "", TEST: "" };
    const shop = await runExample(
      args.map((one) => (one.startsWith("--") ? one : join(installed.folder, one))),
      env,
    );
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
