// The receiver of a shop, in a process that tests kill. Takes its settings as JSON, and sends
// `listening` as soon as it accepts deliveries.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { nodeHandler } from "malipo/node";
import {
  createWebhookReceiver,
  type EventKind,
  type Inbox,
  type WebhookHandler,
} from "malipo/webhooks";
import { type InboxName, SHOPS, type SoakStore } from "./inboxes.ts";
import { type Mode, NEW_KIND, type Version } from "./modes.ts";
import { EARLY_END_MS, hasty, type Sabotage } from "./sabotage.ts";
import { paymentOf, SECRET } from "./sender.ts";

/** The points at which a process may die during a delivery. */
export const POINTS = [
  "before the insert",
  "after the insert",
  "in the handler",
  "in the middle of its effect",
  "after its effect",
  'before "done"',
] as const;
export type Point = (typeof POINTS)[number];

/** The settings of a shop. */
export interface ShopSettings {
  readonly mode?: Mode | undefined;
  /** Which version of the package it runs. Without one, there are only documented kinds. */
  readonly version?: Version | undefined;
  /** Drains the inbox and ends, instead of receiving. */
  readonly isDrainer?: boolean;
  /** The file of the references of all orders, for sweeps: too many for an argument. */
  readonly orders?: string | undefined;
  readonly inbox: InboxName;
  readonly place: SoakStore;
  readonly port: number;
  /** Dies there, in the first delivery. */
  readonly die?: Point | undefined;
  readonly sabotage?: Sabotage | undefined;
}

const DRAINER_LIFE_MS = 2_000;
const SWEEP_INTERVAL_MS = 1_000;
const MAX_SWEPT = 300;

async function runShop(settings: ShopSettings): Promise<void> {
  const { inbox: name, place, port, die, sabotage } = settings;
  const { mode = "start", isDrainer = false, version } = settings;
  const orders: string[] = settings.orders ? JSON.parse(readFileSync(settings.orders, "utf8")) : [];
  // Only a shop that writes with such a library loads them.
  const orm = place.orm && (await import("../../support/orms.ts")).ORMS[place.orm](place.store);
  const at = (point: Point) => {
    if (point === die) process.kill(process.pid, "SIGKILL");
  };
  const { inbox, effect } = SHOPS[name].open(place, orm);
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
  const mounted = () => {
    if (sabotage === "early-acknowledgement") return hasty(inbox);
    return die === undefined ? inbox : deadly;
  };
  const receiver = createWebhookReceiver({
    secret: SECRET,
    inbox: mounted(),
    payments: { get: async (reference) => paymentOf(reference) },
    onError: (error) => process.stderr.write(`${String(error)}\n`),
  });
  const handle: WebhookHandler = async (event, context) => {
    at("in the handler");
    await effect(String(event.data.reference), context, () => at("in the middle of its effect"));
    at("after its effect");
  };
  receiver.on("payment.completed", handle);
  if (version === "this") receiver.onOther(handle);
  // The next version documents it.
  if (version === "next") receiver.on(NEW_KIND as EventKind, handle);
  if (sabotage === "early-end") setTimeout(() => process.exit(), EARLY_END_MS);
  if (isDrainer) {
    process.send?.("draining");
    void receiver
      .drain({ timeoutMs: DRAINER_LIFE_MS })
      .catch((error: unknown) => process.stderr.write(`${String(error)}\n`))
      .finally(() => process.exit());
    return;
  }
  /** Reads some of the payments whose orders are open, as a cron job does. */
  const sweep = async () => {
    try {
      const done = new Set(await SHOPS[name].effects(place));
      const open = orders.filter((reference) => !done.has(reference));
      const from = Math.floor(Math.random() * Math.max(1, open.length - MAX_SWEPT + 1));
      await receiver.sweep(open.slice(from, from + MAX_SWEPT));
    } catch {
      // The database is away: the next sweep reads them.
    }
    setTimeout(sweep, SWEEP_INTERVAL_MS);
  };
  const server = createServer(nodeHandler(receiver));
  server.keepAliveTimeout = 60_000;
  server.listen(port, "127.0.0.1", async () => {
    // The parent must know that the shop listens before a handler kills it.
    process.send?.("listening");
    if (mode !== "drain") await receiver.start();
    if (mode === "sweep") await sweep();
  });
  // The parent has ended.
  process.on("disconnect", () => process.exit());
  // After a graceful stop, nothing may keep the process alive.
  process.on("SIGTERM", async () => {
    server.close();
    server.closeAllConnections();
    await receiver.stop();
    await orm?.close();
    process.removeAllListeners("disconnect");
    process.disconnect();
  });
}

const argument = process.argv[2];
if (argument !== undefined) await runShop(JSON.parse(argument));
