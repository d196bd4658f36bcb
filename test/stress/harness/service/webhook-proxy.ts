import type { Deliver } from "malipo/sandbox";
import { createRandom } from "../random.ts";

/** What the proxy does with a webhook. */
const OUTCOMES = [
  { outcome: "delivered", weight: 55 },
  { outcome: "lost", weight: 12 },
  { outcome: "late", weight: 12 },
  { outcome: "duplicated", weight: 10 },
  { outcome: "reordered", weight: 8 },
  { outcome: "failed", weight: 3 },
] as const;

type Outcome = (typeof OUTCOMES)[number]["outcome"];

/** Stands between the service and the shop. */
export interface WebhookProxy {
  readonly deliver: Deliver;
  readonly counts: Readonly<Record<Outcome, number>>;
  /** Drops every later webhook. */
  close(): void;
}

interface Delivery {
  readonly body: string;
  readonly headers: Headers;
}

/**
 * Drops, delays, duplicates and reorders webhooks. Each goes to one worker, as behind a load balancer.
 *
 * @param ports - The ports on which workers listen now.
 */
export function createWebhookProxy(seed: string, ports: () => readonly number[]): WebhookProxy {
  const random = createRandom(`${seed} webhooks`);
  const counts = { delivered: 0, lost: 0, late: 0, duplicated: 0, reordered: 0, failed: 0 };
  const held: Delivery[] = [];
  let closed = false;

  function send({ body, headers }: Delivery): void {
    const port = random.pick(ports());
    if (closed || port === undefined) return;
    const url = `http://127.0.0.1:${port}/webhooks`;
    // A worker that was killed in the meantime does not get it.
    fetch(url, { method: "POST", body, headers })
      .then((response) => response.arrayBuffer())
      .catch(() => {});
  }
  const sendLater = (delivery: Delivery, ms: number) => setTimeout(send, ms, delivery).unref();

  const actions: Readonly<Record<Outcome, (delivery: Delivery) => void>> = {
    delivered: (delivery) => {
      send(delivery);
      for (const overtaken of held.splice(0)) sendLater(overtaken, random.between(1, 30));
    },
    lost: () => {},
    late: (delivery) => sendLater(delivery, random.between(800, 3_000)),
    duplicated: (delivery) => {
      send(delivery);
      for (let more = random.between(1, 3); more > 0; more--) {
        sendLater(delivery, random.between(0, 400));
      }
    },
    reordered: (delivery) => held.push(delivery),
    // The service gets a 500, and redelivers later.
    failed: () => {},
  };

  return {
    counts,
    deliver: async (request) => {
      const delivery = { body: await request.text(), headers: request.headers };
      const { outcome } = random.weighted(OUTCOMES);
      counts[outcome]++;
      actions[outcome](delivery);
      return new Response(null, { status: outcome === "failed" ? 500 : 200 });
    },
    close: () => {
      closed = true;
    },
  };
}
