// The rows of the table in docs/guides/webhook-functions.md whose hosts a test can run: each receives by the host's own
// server or request type, as npm has it.
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../src/drill/child.ts";
import { SECRET, signatureOf } from "../../docs/support/example.ts";
import { startShop } from "../../docs/support/shop-process.ts";
import { type Installed, installPacked } from "../../support/installed.ts";
import { installedVersion, shopRows } from "../../support/shop-rows.ts";
import { shell } from "./page.ts";

interface Host {
  readonly packages: readonly string[];
  /** What the page prints of it. */
  readonly mount: string;
  readonly files: (mount: string) => Readonly<Record<string, string>>;
  /** What Node.js runs. */
  readonly args: readonly string[];
}

const RECEIVER = `
import { sqlite } from "malipo/sqlite";
import { createWebhookReceiver } from "malipo/webhooks";
const db = sqlite(process.env.SHOP_DB);
export const receiver = createWebhookReceiver({ inbox: db });
receiver.on("payment.completed", ({ data }) => console.log("ship " + data.account_reference));
`;

const ON_FETCH = `
import { fetchHandler } from "malipo/fetch";
import { receiver } from "./receiver.js";
const receive = fetchHandler(receiver);
`;

/** A server that does what the host of Azure does: it makes its request of a real one, and a response of what comes back. */
const AZURE = `
import { createServer } from "node:http";
import { HttpRequest, HttpResponse } from "@azure/functions";
import { webhooks } from "./functions.js";
createServer(async (incoming, outgoing) => {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const { method, headers } = incoming;
  const string = Buffer.concat(chunks).toString();
  const body = method === "GET" ? {} : { body: { string } };
  const url = "http://localhost" + incoming.url;
  const response = new HttpResponse(await webhooks(new HttpRequest({ method, url, headers, ...body })));
  outgoing.writeHead(response.status);
  outgoing.end(await response.text());
}).listen(Number(process.env.PORT));
`;

const HOSTS: Readonly<Record<string, Host>> = {
  "Azure Functions": {
    packages: ["@azure/functions"],
    mount: `app.http("webhooks", { authLevel: "anonymous", methods: ["POST"], handler: receive })`,
    files: (mount) => ({
      "functions.js": `${ON_FETCH}
import { app as azure } from "@azure/functions";
export let webhooks;
const app = {
  http: (name, options) => {
    webhooks = options.handler;
    azure.http(name, options);
  },
};
${mount};
`,
      "main.js": AZURE,
    }),
    args: ["main.js"],
  },
  "Google functions": {
    packages: ["@google-cloud/functions-framework"],
    mount: `http("webhooks", nodeHandler(receiver))`,
    files: (mount) => ({
      "index.js": `
import { http } from "@google-cloud/functions-framework";
import { nodeHandler } from "malipo/node";
import { receiver } from "./receiver.js";
${mount};
`,
    }),
    args: [
      "node_modules/@google-cloud/functions-framework/build/src/main.js",
      ...["--source=index.js", "--target=webhooks"],
    ],
  },
  "Deno, Supabase": {
    packages: ["deno"],
    mount: "Deno.serve(receive)",
    files: (mount) => ({
      "main.js": `${ON_FETCH}
${mount.replace("Deno.serve(", "Deno.serve({ port: Number(process.env.PORT) }, ")};
`,
    }),
    args: [
      "node_modules/deno/bin.cjs",
      "run",
      "--allow-all",
      "--node-modules-dir=manual",
      "main.js",
    ],
  },
};

/** A signed delivery of about that many bytes. */
const orderOf = (order: string, bytes: number): string =>
  JSON.stringify({
    event: "payment.completed",
    timestamp: new Date().toISOString(),
    data: { account_reference: order, reference: order, metadata: "x".repeat(bytes - 200) },
  });

describe.each(Object.entries(HOSTS))("the row of %s", (name, { packages, mount, files, args }) => {
  let installed: Installed;
  const [first = ""] = packages;
  const note = shopRows(() => `${name} ${installedVersion(installed.folder, first)}`);
  beforeAll(() => {
    installed = installPacked(...packages);
    shell("npm pkg set type=module", installed.folder);
    for (const [path, text] of Object.entries({ "receiver.js": RECEIVER, ...files(mount) })) {
      mkdirSync(dirname(join(installed.folder, path)), { recursive: true });
      installed.write(path, text);
    }
  });
  afterAll(() => installed.remove());

  test("is on the page", () => {
    const page = readFileSync("docs/guides/webhook-functions.md", "utf8");
    const row = page.split("\n").find((line) => line.startsWith(`| ${name} |`));
    expect(row).toContain(`\`${mount}\``);
  });

  test("stores what is genuine, up to 1 MB, and answers 401 to what is forged", async () => {
    const port = await freePort();
    const env = {
      ...{ PORT: `${port}`, SHOP_DB: join(installed.folder, "shop.db") },
      MALIPO_WEBHOOK_SECRET: SECRET,
    };
    const program = { args, folder: installed.folder };
    const host = await startShop(program, env);
    const post = async (body: string, headers: Record<string, string>) => {
      const url = `http://127.0.0.1:${port}/webhooks`;
      return (await fetch(url, { method: "POST", headers, body })).status;
    };
    for (const bytes of [1_000, 1_000_000]) {
      const body = orderOf(`ORDER-${bytes}`, bytes);
      expect(await post(body, signatureOf(body))).toBe(200);
      expect(await post(body, {})).toBe(401);
    }
    const tooLong = orderOf("ORDER-LONG", 1_100_000);
    expect(await post(tooLong, signatureOf(tooLong))).toBe(413);
    note("200 up to 1 MB, 401 if it is forged, 413 above 1 MB");
    await host.end("SIGKILL");
  });
});
