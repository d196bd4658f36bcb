import { setTimeout as sleep } from "node:timers/promises";
import { type InboxName, type Place, SHOPS } from "./inboxes.ts";
import { freePort, openShop, type ShopProcess } from "./process.ts";
import { deliver, deliveryOf } from "./sender.ts";

export interface SoakOptions {
  readonly inbox: InboxName;
  readonly place: Place;
  /** The shop's module. */
  readonly program: string;
  readonly events: number;
  readonly kills: number;
  readonly seed: number;
  readonly log: (line: string) => void;
}

/** What happened to the events. */
export interface SoakResult {
  readonly sent: number;
  readonly acknowledged: number;
  /** Acknowledged events without effect. */
  readonly lost: number;
  /** Effects of events that were never sent. */
  readonly invented: number;
  /** Effects beyond the first of their event. */
  readonly duplicated: number;
  readonly kills: number;
  readonly deliveries: number;
  readonly seconds: number;
  /** What keeps the effect of each event at one. */
  readonly once: "through the transaction" | "through the idempotency key";
}

const SENDERS = 16;
// Long enough for every lease to expire and every retry to come.
const maxIdleMs = ({ leaseMs }: Place) => (leaseMs === undefined ? 400_000 : 60_000);
const EXTRA_LEASES = 1.5;

/** The same numbers for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  const { inbox, place, program, events, kills, seed, log } = options;
  const random = randomFrom(seed);
  const { prepare, effects } = SHOPS[inbox];
  const started = performance.now();
  await prepare(place);
  const port = await freePort();
  const references = Array.from(
    { length: events },
    (_, at) => `PAY-${String(at).padStart(6, "0")}`,
  );
  const acknowledged = new Set<string>();
  let shop: ShopProcess = await openShop(program, { inbox, place, port });
  let deliveries = 0;
  let killed = 0;

  async function kill(): Promise<void> {
    await shop.kill();
    killed++;
    shop = await openShop(program, { inbox, place, port });
  }

  const waiting = [...references].reverse();
  const senders = Array.from({ length: SENDERS }, async () => {
    for (let reference = waiting.pop(); reference !== undefined; reference = waiting.pop()) {
      const delivery = deliveryOf(reference);
      // Now and then the response is lost, and the service delivers again.
      for (let times = random() < 0.1 ? 2 : 1; times > 0; times--) {
        const tries = await deliver(port, delivery);
        deliveries += tries;
        acknowledged.add(reference);
      }
    }
  });

  // Most kills happen while deliveries arrive; the rest while the last events are processed.
  const moments = Array.from({ length: Math.ceil(kills * 0.9) }, () => random() * events).sort(
    (a, b) => a - b,
  );
  for (const moment of moments) {
    while (acknowledged.size < moment) await sleep(1);
    await sleep(random() * 50);
    await kill();
    if (killed % 10 === 0) log(`${killed} kills, ${acknowledged.size} acknowledged`);
  }
  await Promise.all(senders);
  while (killed < kills) {
    await sleep(random() * 500);
    await kill();
  }

  const count = async () => {
    const counts = new Map<string, number>();
    for (const reference of await effects(place)) {
      counts.set(reference, (counts.get(reference) ?? 0) + 1);
    }
    return counts;
  };
  let found = new Map<string, number>();
  let progressAt = performance.now();
  while (performance.now() - progressAt < maxIdleMs(place)) {
    const counts = await count();
    if (counts.size > found.size) progressAt = performance.now();
    found = counts;
    if (references.every((reference) => found.has(reference))) break;
    await sleep(500);
  }
  // By then, an event that is processed twice has been.
  await sleep(EXTRA_LEASES * (place.leaseMs ?? 15_000));
  found = await count();
  await shop.kill();

  const sent = new Set(references);
  return {
    sent: sent.size,
    acknowledged: acknowledged.size,
    lost: [...acknowledged].filter((reference) => !found.has(reference)).length,
    invented: [...found.keys()].filter((reference) => !sent.has(reference)).length,
    duplicated: [...found.values()].filter((count) => count > 1).length,
    kills: killed,
    deliveries,
    seconds: Math.round((performance.now() - started) / 1_000),
    once:
      inbox === "sqlite" || inbox === "pg-boss"
        ? "through the transaction"
        : "through the idempotency key",
  };
}
