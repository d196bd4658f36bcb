// The receiver of a shop, in a process that tests kill.
import { existsSync, writeFileSync } from "node:fs";
import { nodeHandler } from "malipo/node";
import {
  createWebhookReceiver,
  type EventKind,
  type HandlerContext,
  type Inbox,
  type WebhookHandler,
} from "malipo/webhooks";
import type { Orm } from "../../support/orms/orm.ts";
import { all, DATABASES, fileTables, type Place, tablesIn } from "../harness/databases.ts";
import { receiveSetup, serve, started } from "../harness/worker.ts";
import { paymentOf, SECRET } from "./sender.ts";
import { NEW_KIND, type Point, type ShopSettings } from "./settings.ts";

const DRAINER_LIFE_MS = 2_000;
const SWEEP_INTERVAL_MS = 1_000;
const MAX_SWEPT = 300;

/** The effect of one event, once: through the inbox's transaction, or the idempotency key. */
type Effect = (
  reference: string,
  context: HandlerContext,
  /** Called when the effect is written and not committed. */
  halfway: () => void,
) => Promise<void>;

async function effectIn(place: Place, orm: Orm | undefined): Promise<Effect> {
  if (!DATABASES[place.engine].hasTables) {
    // Another company, which takes each key once.
    const ledger = fileTables(place.ledger);
    return async (reference, { idempotencyKey }, halfway) => {
      ledger.insertOnce("effects", reference, idempotencyKey);
      halfway();
    };
  }
  const tables = await tablesIn(place);
  const insert = (connection: unknown, reference: string) =>
    orm === undefined
      ? tables.insert(connection, "effects", reference)
      : orm.write(connection, `${place.name}_effects`, "id", reference);
  return async (reference, { transaction }, halfway) => {
    await transaction((connection: unknown) => all(() => insert(connection, reference), halfway));
  };
}

/** As a long computation does: nothing else of this process runs. */
function blockUntil(file: string): void {
  writeFileSync(`${file}.begun`, "");
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(file)) Atomics.wait(cell, 0, 0, 20);
}

async function runShop(settings: ShopSettings): Promise<void> {
  const { place, port, die, leaseMs, blocksUntil, orders = [] } = settings;
  const { mode = "start", isDrainer = false, version } = settings;
  // Only a shop that writes with such a library loads them.
  const orm =
    settings.orm &&
    (await import("../../support/orms/postgres-orms.ts")).POSTGRES_ORMS[settings.orm](place.url);
  const at = (point: Point) => {
    if (point === die) process.kill(process.pid, "SIGKILL");
  };
  const stores = await DATABASES[place.engine].stores(place, orm?.transact);
  const inbox = stores.inbox(
    leaseMs === undefined ? {} : { pace: { leaseMs, backoffMs: () => 20 } },
  );
  const effect = await effectIn(place, orm);
  /** The inbox, with the points of death around it. */
  const deadly: Inbox = {
    ...inbox,
    accept: async (delivery) => {
      at("before the insert");
      const receipt = await inbox.accept(delivery);
      at("after the insert");
      return receipt;
    },
    start: (options) =>
      inbox.start({
        ...options,
        run: async (job) => {
          await options.run(job);
          at('before "done"');
        },
      }),
  };
  const receiver = createWebhookReceiver({
    secret: SECRET,
    inbox: die === undefined ? inbox : deadly,
    payments: { get: async (reference) => paymentOf(reference) },
    onError: (error) => process.stderr.write(`${String(error)}\n`),
  });
  const handle: WebhookHandler = async (event, context) => {
    at("in the handler");
    if (blocksUntil !== undefined) blockUntil(blocksUntil);
    await effect(String(event.data.reference), context, () => at("in the middle of its effect"));
    at("after its effect");
  };
  receiver.on("payment.completed", handle);
  if (version === "this") receiver.onOther(handle);
  // The next version documents it.
  if (version === "next") receiver.on(NEW_KIND as EventKind, handle);
  if (isDrainer) {
    started();
    void receiver
      .drain({ timeoutMs: DRAINER_LIFE_MS })
      .catch((error: unknown) => process.stderr.write(`${String(error)}\n`))
      .finally(() => process.exit());
    return;
  }
  const tables = await tablesIn(place);
  /** Reads some of the payments whose orders are open, as a cron job does. */
  const sweep = async () => {
    try {
      const done = new Set(await tables.rows("effects"));
      const open = orders.filter((reference) => !done.has(reference));
      const from = Math.floor(Math.random() * Math.max(1, open.length - MAX_SWEPT + 1));
      await receiver.sweep(open.slice(from, from + MAX_SWEPT));
    } catch {
      // The database is away: the next sweep reads them.
    }
    setTimeout(sweep, SWEEP_INTERVAL_MS);
  };
  const server = await serve(nodeHandler(receiver), port);
  server.keepAliveTimeout = 60_000;
  // After a graceful stop, nothing may keep the process alive.
  process.on("SIGTERM", async () => {
    server.close();
    server.closeAllConnections();
    await receiver.stop();
    await orm?.close();
    process.removeAllListeners("disconnect");
    process.disconnect();
  });
  // The campaign knows by now that the shop listens: a handler may kill it.
  if (mode !== "drain") await receiver.start();
  if (mode === "sweep") await sweep();
}

await runShop(await receiveSetup());
