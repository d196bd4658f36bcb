import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type ProgressOutput, showProgress } from "../../../src/cli/terminal/progress.ts";
import { freePort } from "../../../src/drill/child.ts";
import { keepDrainers } from "./drainers.ts";
import { roundsOf, type SoakFault } from "./engine-faults.ts";
import { type InboxName, SHOPS, type SoakStore } from "./inboxes.ts";
import { type Mode, NEW_KIND } from "./modes.ts";
import { randomFrom } from "./random.ts";
import { keepReceiver } from "./receiver.ts";
import type { Sabotage } from "./sabotage.ts";
import { deliver, deliveryOf } from "./sender.ts";

export interface SoakOptions {
  readonly inbox: InboxName;
  readonly place: SoakStore;
  /** The shop's module. */
  readonly program: string;
  readonly events: number;
  readonly kills: number;
  /** What is done to the engine of the inbox, each several times. */
  readonly faults: readonly SoakFault[];
  readonly sabotage: Sabotage | undefined;
  readonly mode: Mode;
  readonly seed: number;
  /** How long nothing happens until the events without effect count as lost. */
  readonly idleMs: number;
  /** The output on which the soak shows how far it is. */
  readonly output: ProgressOutput;
}

/** What happened to the events. */
export interface SoakResult {
  readonly sent: number;
  readonly acknowledged: number;
  /** Acknowledged events without effect. */
  readonly lost: number;
  /** Events that were never sent, so that only a sweep can find their payments. */
  readonly dropped: number;
  /** Events without effect, those that were never sent included. */
  readonly open: number;
  /** Effects of events that were never sent. */
  readonly invented: number;
  /** Effects beyond the first of their event. */
  readonly duplicated: number;
  readonly kills: number;
  /** Receiver processes that ended without a kill. */
  readonly deaths: number;
  /** Processes that drained the inbox. */
  readonly drainers: number;
  /** How often each fault of the engine was made, by its name. */
  readonly faults: ReadonlyMap<string, number>;
  readonly deliveries: number;
  readonly seconds: number;
}

const SENDERS = 16;
const EXTRA_LEASES = 1.5;
const DEFAULT_LEASE_MS = 15_000;
const DRAINERS_AT_ONCE = 3;
const SHOWN_ERRORS = 5;
const MAX_LINE = 300;

const countEach = (values: readonly string[]) => {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
};

/** The lines that processes wrote to stderr most often. */
const mostOften = (texts: readonly string[]): string[] =>
  [...countEach(texts.join("").split("\n").filter(Boolean))]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN_ERRORS)
    .map(([line, count]) => `${count} times on stderr: ${line.slice(0, MAX_LINE)}`);

/** Waits until every event had an effect, or nothing happens any more. */
async function effectsIn(
  { inbox, place, idleMs }: SoakOptions,
  references: readonly string[],
  onCount: (processed: number) => void,
): Promise<ReadonlyMap<string, number>> {
  const count = async () => countEach(await SHOPS[inbox].effects(place));
  let found = await count();
  let progressAt = performance.now();
  while (performance.now() - progressAt < idleMs) {
    if (references.every((reference) => found.has(reference))) break;
    await sleep(500);
    const counts = await count();
    if (counts.size > found.size) progressAt = performance.now();
    found = counts;
    onCount(counts.size);
  }
  // By then, an event that is processed twice has been.
  await sleep(EXTRA_LEASES * (place.leaseMs ?? DEFAULT_LEASE_MS));
  return count();
}

export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  const { inbox, place, program, events, kills, sabotage, mode, seed, idleMs, output } = options;
  const random = randomFrom(seed);
  const started = performance.now();
  await SHOPS[inbox].prepare(place);
  const port = await freePort();
  const references = Array.from(
    { length: events },
    (_, at) => `PAY-${String(at).padStart(6, "0")}`,
  );
  const isDropped = (at: number) => mode === "sweep" && at % 3 === 0;
  const toSend = references.filter((_, at) => !isDropped(at));
  const acknowledged = new Set<string>();
  let deliveries = 0;
  let killed = 0;
  let processed = 0;
  const progress = showProgress({
    line: () =>
      `${inbox}: ${acknowledged.size} of ${events} events acknowledged, ${processed} processed, ${killed} of ${kills} kills`,
    // Half of the work is to acknowledge them.
    share: () => (acknowledged.size + processed) / (2 * events),
    output,
  });
  const log = (line: string) => progress.note(line);
  const orders = mode === "sweep" ? `${place.ledger}.orders` : undefined;
  if (orders !== undefined) writeFileSync(orders, JSON.stringify(references));
  const settings = { inbox, place, port, sabotage, mode, orders };
  const receiver = await keepReceiver(program, settings, log);
  const hasDrainers = mode === "drain" || mode === "versions";
  const drainers = hasDrainers ? keepDrainers(program, settings, DRAINERS_AT_ONCE) : undefined;
  const faults = new Map(options.faults.map(({ name }) => [name, 0]));

  const waiting = [...toSend].reverse();
  const send = async () => {
    for (let reference = waiting.pop(); reference !== undefined; reference = waiting.pop()) {
      const isNew = mode === "versions" && random() < 0.5;
      const delivery = deliveryOf(reference, undefined, isNew ? NEW_KIND : undefined);
      // Sometimes the response is lost, and the service delivers again.
      for (let times = random() < 0.1 ? 2 : 1; times > 0; times--) {
        const tries = await deliver(port, delivery);
        deliveries += tries;
        acknowledged.add(reference);
      }
    }
  };

  const moments = (count: number) =>
    Array.from({ length: count }, () => random() * toSend.length).sort((a, b) => a - b);
  const reached = async (moment: number) => {
    while (acknowledged.size < moment) await sleep(1);
    await sleep(random() * 50);
  };

  // Most kills happen while deliveries arrive; the rest while the last events are processed.
  const kill = async () => {
    // Most of what can go wrong goes wrong in the processes that process.
    if (drainers !== undefined && random() < 0.8) await drainers.kill();
    else await receiver.kill();
    killed++;
  };
  const killNow = async () => {
    for (const moment of moments(Math.ceil(kills * 0.9))) {
      await reached(moment);
      await kill();
    }
  };
  // Until a frozen process goes on, another one has its events.
  const freezeNow = async () => {
    for (const moment of moments(drainers === undefined ? 0 : Math.ceil(kills / 4))) {
      await reached(moment);
      await drainers?.freeze(1.5 * (place.leaseMs ?? DEFAULT_LEASE_MS));
    }
  };

  // One at a time. A receiver may be killed meanwhile, and starts while its engine is ill.
  const harm = async () => {
    const planned = Array.from({ length: roundsOf(events) }, () => options.faults).flat();
    const at = moments(planned.length);
    for (const [turn, { name, make }] of planned.entries()) {
      await reached(at[turn] ?? 0);
      try {
        await make();
        faults.set(name, (faults.get(name) ?? 0) + 1);
        log(`${name}, ${acknowledged.size} acknowledged`);
      } catch (error) {
        log(`${name} did not happen: ${String(error)}`);
      }
    }
  };

  // Without it, a receiver that never acknowledges would keep the soak running for ever.
  const whileStored = async (work: Promise<unknown>) => {
    const over = work.then(() => true);
    for (let before = -1; ; before = acknowledged.size) {
      if (await Promise.race([over, sleep(idleMs, false, { ref: false })])) return;
      if (acknowledged.size === before) {
        throw new Error(`No delivery was acknowledged for ${idleMs} ms.`);
      }
    }
  };

  const sending = Array.from({ length: SENDERS }, send);
  await whileStored(Promise.all([...sending, killNow(), freezeNow(), harm()]));
  while (killed < kills) {
    await sleep(random() * 500);
    await kill();
  }
  const found = await effectsIn(options, references, (count) => {
    processed = count;
  });
  await drainers?.stop();
  await receiver.stop();
  if (references.some((reference) => !found.has(reference))) {
    for (const line of mostOften([...receiver.errors, ...(drainers?.errors ?? [])])) log(line);
  }
  progress.end();

  const sent = new Set(references);
  return {
    sent: toSend.length,
    dropped: references.length - toSend.length,
    open: references.filter((reference) => !found.has(reference)).length,
    drainers: drainers?.count() ?? 0,
    acknowledged: acknowledged.size,
    lost: [...acknowledged].filter((reference) => !found.has(reference)).length,
    invented: [...found.keys()].filter((reference) => !sent.has(reference)).length,
    duplicated: [...found.values()].filter((count) => count > 1).length,
    kills: killed,
    deaths: receiver.deaths(),
    faults,
    deliveries,
    seconds: Math.round((performance.now() - started) / 1_000),
  };
}
