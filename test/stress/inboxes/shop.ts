// A shop's receiver, in a process of its own: it is there to be killed. Takes its orders as JSON, and
// says `listening` once it takes deliveries.
import { createServer } from "node:http";
import { nodeHandler } from "malipo/node";
import { createWebhookReceiver, type Inbox } from "malipo/webhooks";
import { type InboxName, type Place, SHOPS } from "./inboxes.ts";
import { SECRET } from "./sender.ts";

/** Where a process may die over a delivery. */
export const POINTS = [
  "before the insert",
  "after the insert",
  "in the handler",
  "in the middle of its effect",
  "after its effect",
  'before "done"',
] as const;
export type Point = (typeof POINTS)[number];

/** What a shop is told. */
export interface Orders {
  readonly inbox: InboxName;
  readonly place: Place;
  readonly port: number;
  /** Dies there, at the first chance. */
  readonly die?: Point | undefined;
}

function runShop({ inbox: name, place, port, die }: Orders): void {
  const at = (point: Point) => {
    if (point === die) process.kill(process.pid, "SIGKILL");
  };
  const { inbox, effect } = SHOPS[name].open(place);
  /** The inbox as it is, with the points around it. */
  const deadly: Inbox = {
    ...inbox,
    accept: async (delivery) => {
      at("before the insert");
      const receipt = await inbox.accept(delivery);
      at("after the insert");
      return receipt;
    },
    start: (work) =>
      inbox.start({
        ...work,
        run: async (job) => {
          await work.run(job);
          at('before "done"');
        },
      }),
  };
  const receiver = createWebhookReceiver({
    secret: SECRET,
    inbox: die === undefined ? inbox : deadly,
    onError: (error) => process.stderr.write(`${String(error)}\n`),
  });
  receiver.on("payment.completed", async (event, context) => {
    at("in the handler");
    await effect(event.data.reference, context, () => at("in the middle of its effect"));
    at("after its effect");
  });
  const server = createServer(nodeHandler(receiver));
  server.keepAliveTimeout = 60_000;
  server.listen(port, "127.0.0.1", async () => {
    // What has to be taken first must not die of what is worked.
    process.send?.("listening");
    await receiver.start();
  });
  // Its parent has ended.
  process.on("disconnect", () => process.exit());
  // Told to end: nothing is left then that would keep the process.
  process.on("SIGTERM", async () => {
    server.close();
    server.closeAllConnections();
    await receiver.stop();
    process.removeAllListeners("disconnect");
    process.disconnect();
  });
}

const [, , orders] = process.argv;
if (orders !== undefined) runShop(JSON.parse(orders));
