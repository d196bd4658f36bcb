import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../src/drill/child.ts";
import { untilItAnswers } from "../support/running.ts";
import { paidFor, SECRET, signatureOf } from "./support/example.ts";

/** The example with a real queue on disk, and once more with a queue that cannot be reached. */
const config = (folder: string, port: number, lonelyPort: number, closedPort: number) => `
using Workerd = import "/workerd/workerd.capnp";
const source :Text = embed "worker.mjs";
const config :Workerd.Config = (
  services = [
    (name = "shop", worker = (
      modules = [(name = "worker", esModule = .source)],
      compatibilityDate = "2026-01-01",
      bindings = [
        (name = "MALIPO_WEBHOOK_SECRET", text = "${SECRET}"),
        (name = "WEBHOOKS", queue = (name = "queues", props = (json = "{\\"queue\\":\\"webhooks\\"}"))),
      ],
    )),
    (name = "lonely", worker = (
      modules = [(name = "worker", esModule = .source)],
      compatibilityDate = "2026-01-01",
      bindings = [
        (name = "MALIPO_WEBHOOK_SECRET", text = "${SECRET}"),
        (name = "WEBHOOKS", queue = "unreachable"),
      ],
    )),
    (name = "queues", worker = (
      modules = [(name = "queues", bundled = "/workerd/queues.js")],
      compatibilityDate = "2026-01-01",
      compatibilityFlags = ["service_binding_extra_handlers"],
      durableObjectNamespaces = [(className = "QueueShard", uniqueKey = "shards", enableSql = true)],
      durableObjectStorage = (localDisk = "disk"),
      bindings = [
        (name = "SHARD", durableObjectNamespace = "QueueShard"),
        (name = "SHOP", service = "shop"),
        (name = "CONSUMERS", json = "{\\"webhooks\\":{\\"consumer\\":\\"SHOP\\",\\"maxBatchTimeout\\":0}}"),
      ],
    )),
    (name = "disk", disk = (path = "${folder}", writable = true)),
    (name = "unreachable", external = (address = "127.0.0.1:${closedPort}", http = ())),
  ],
  sockets = [
    (name = "shop", address = "127.0.0.1:${port}", http = (), service = "shop"),
    (name = "lonely", address = "127.0.0.1:${lonelyPort}", http = (), service = "lonely"),
  ],
);
`;

describe("the example for workers, in workerd", () => {
  const folder = mkdtempSync(join(tmpdir(), "malipo-workers-"));
  const require = createRequire(import.meta.url);
  const { default: binary }: { default: string } = require("workerd");
  let workerd: ChildProcessWithoutNullStreams;
  let printed = "";
  let shop = "";
  let lonely = "";

  beforeAll(async () => {
    await build({
      entryPoints: ["examples/workers/worker.ts"],
      ...{ bundle: true, format: "esm", outfile: join(folder, "worker.mjs"), logLevel: "error" },
      // As wrangler does. Without `tsconfigRaw`, the paths of our tsconfig would lead to the sources.
      ...{ conditions: ["workerd", "worker", "browser"], tsconfigRaw: {} },
    });
    const [port, lonelyPort, closedPort] = [await freePort(), await freePort(), await freePort()];
    [shop, lonely] = [port, lonelyPort].map((port) => `http://127.0.0.1:${port}/`) as [
      string,
      string,
    ];
    mkdirSync(join(folder, "disk"));
    const file = join(folder, "config.capnp");
    writeFileSync(file, config(join(folder, "disk"), port, lonelyPort, closedPort));
    workerd = spawn(binary, ["serve", "--experimental", file]);
    for (const stream of [workerd.stdout, workerd.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        printed += text;
      });
    }
    await untilItAnswers({ child: workerd, printed: () => printed }, shop);
  });
  afterAll(async () => {
    workerd.kill();
    await once(workerd, "exit");
    rmSync(folder, { recursive: true });
  });

  async function deliver(body: string, headers = signatureOf(body), url = shop) {
    const response = await fetch(url, { method: "POST", headers, body });
    return [response.status, (await response.json()).ResultDesc];
  }

  test("acknowledges what the queue has stored, and passes the same key with each duplicate", async () => {
    for (let times = 0; times < 2; times++) {
      expect(await deliver(paidFor("ORDER-42"))).toEqual([200, "received"]);
    }
    await expect.poll(() => printed.match(/ship ORDER-42/g)).toHaveLength(2);
    const keys = [...printed.matchAll(/ship ORDER-42 ([\da-f]{64})/g)].map(([, key]) => key);
    expect(keys).toEqual([keys[0], keys[0]]);
  });

  test("rejects what is not signed, not an event, or too large", async () => {
    const body = paidFor("ORDER-43");
    expect(await deliver(body, {})).toEqual([401, "signature missing"]);
    expect(await deliver(body, signatureOf("{}"))).toEqual([401, "signature mismatch"]);
    expect(await deliver("[]")).toEqual([400, "payload invalid"]);
    expect(await deliver("x".repeat(60_001))).toEqual([413, "too large"]);
    expect((await fetch(shop)).status).toBe(405);
    expect(printed).not.toContain("ORDER-43");
  });

  test("stores the largest accepted body in the queue", async () => {
    // Quotes: escaping makes them twice as long.
    const order = "ORDER-44";
    const event = JSON.parse(paidFor(order));
    const length = 60_000 - JSON.stringify({ ...event, note: "" }).length;
    const body = JSON.stringify({ ...event, note: '"'.repeat(length / 2) });
    expect(await deliver(body)).toEqual([200, "received"]);
    await expect.poll(() => printed).toContain(`ship ${order}`);
  });

  test("returns 503 if the queue cannot store it", async () => {
    const body = paidFor("ORDER-45");
    expect(await deliver(body, undefined, lonely)).toEqual([503, "cannot be stored now"]);
  });
});
