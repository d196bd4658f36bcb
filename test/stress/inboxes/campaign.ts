import { setTimeout as sleep } from "node:timers/promises";
import { showProgress } from "../../../src/cli/terminal/progress.ts";
import { freePort } from "../../../src/drill/child.ts";
import { type EngineFault, type FaultyEngine, faultyFile } from "../../support/engines/faults.ts";
import { bundle, type Change } from "../harness/bundle.ts";
import type { OpenEngine } from "../harness/engines.ts";
import { History } from "../harness/history.ts";
import { EngineFaults } from "../harness/incidents.ts";
import { Pool, type Program } from "../harness/processes.ts";
import { createRandom } from "../harness/random.ts";
import { countEach, type Outcome } from "../harness/table.ts";
import { forEachConcurrently, Progress } from "../harness/waits.ts";
import { outcomeOf } from "./check.ts";
import { type InboxName, SHOPS, type SoakStore } from "./inboxes.ts";
import { NEXT_VERSION } from "./sabotages.ts";
import { deliver, deliveryOf } from "./sender.ts";
import { NEW_KIND, type ShopSettings, VERSIONS } from "./settings.ts";
import type { InboxOptions } from "./subject.ts";

const SENDERS = 16;
const EXTRA_LEASES = 1.5;
const DEFAULT_LEASE_MS = 15_000;
const DRAINERS_AT_ONCE = 3;
const EVENTS_PER_FAULT = 2_000;
/** Long enough for every lease to expire and every retry to come. */
const IDLE_MS = 400_000;
const SHORT_IDLE_MS = 60_000;
const SHOWN_ERRORS = 5;
const MAX_LINE = 300;

/** The inbox waits 5 s for the lock. */
const LONG_LOCK_MS = 7_000;

interface NamedFault {
  readonly name: string;
  readonly fault: EngineFault;
  readonly engine: FaultyEngine;
}

const NAMES: Readonly<Record<EngineFault, string>> = {
  killed: "engine killed and restarted",
  hung: "engine hung for 1.5 s",
  cut: "all connections cut",
};

/** Every fault that there is for an inbox. */
function faultsOf(inbox: InboxName, { faulty, url }: OpenEngine): NamedFault[] {
  if (faulty === undefined) return [];
  if (inbox !== "sqlite") {
    return faulty.faults.map((fault) => ({ name: NAMES[fault], fault, engine: faulty }));
  }
  return [
    { name: "file locked for 1.5 s", fault: "hung", engine: faulty },
    { name: "file locked for 7 s", fault: "hung", engine: faultyFile(url, LONG_LOCK_MS) },
  ];
}

/** The lines that processes wrote to stderr most often. */
const mostOften = (texts: readonly string[]): string[] =>
  [...countEach(texts.join("").split("\n").filter(Boolean))]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN_ERRORS)
    .map(([line, count]) => `${count} times on stderr: ${line.slice(0, MAX_LINE)}`);

/** Waits until every event had an effect, or nothing happens any more. */
async function effectsIn(
  read: () => Promise<string[]>,
  references: readonly string[],
  { idleMs, leaseMs }: { readonly idleMs: number; readonly leaseMs: number },
  onCount: (processed: number) => void,
): Promise<ReadonlyMap<string, number>> {
  const count = async () => countEach(await read());
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
  await sleep(EXTRA_LEASES * leaseMs);
  return count();
}

/** The processes of a shop: the one that receives, and those that drain beside it. */
async function openPools(
  history: History,
  settings: Omit<ShopSettings, "version">,
  changes: readonly Change[],
) {
  const { mode } = settings;
  const file = await bundle("inboxes/shop.ts", changes.length > 0 ? changes : undefined);
  const areMixed = mode === "versions";
  const next = areMixed ? await bundle("inboxes/shop.ts", [...changes, NEXT_VERSION]) : file;
  const program =
    (isDrainer: boolean) =>
    (count: number): Program => {
      const version = areMixed ? VERSIONS[(count + Number(isDrainer)) % 2] : undefined;
      const setup: ShopSettings = { ...settings, version, isDrainer };
      return { file: version === "next" ? next : file, setup };
    };
  const receiver = new Pool(history, { name: "receiver", size: 1, program: program(false) });
  await receiver.ready();
  const size = mode === "drain" || areMixed ? DRAINERS_AT_ONCE : 0;
  const options = { name: "drainer", size, program: program(true), areShort: true };
  return { receiver, drainers: new Pool(history, options) };
}

/** Posts signed events to a receiver that is killed, and counts what happened to them. */
export async function runInbox(
  inbox: InboxName,
  options: InboxOptions,
  engine: OpenEngine,
): Promise<Outcome> {
  const { events, mode, seed, sabotage } = options;
  const { "lease-ms": leaseMs, "idle-ms": idle } = options;
  const idleMs = idle ?? (leaseMs === undefined ? IDLE_MS : SHORT_IDLE_MS);
  // The memory inbox is lost with its process.
  const kills = inbox === "memory" ? 0 : options.kills;
  const random = createRandom(`${seed} events`);
  const began = performance.now();
  const place: SoakStore = {
    store: engine.url,
    queue: `malipo-soak-${process.pid}`,
    ledger: `${engine.folder}/ledger.db`,
    leaseMs,
  };
  const lease = leaseMs ?? DEFAULT_LEASE_MS;
  const shop = SHOPS[inbox];
  await shop.prepare(place);
  const references = Array.from(
    { length: events },
    (_, at) => `PAY-${String(at).padStart(6, "0")}`,
  );
  const isDropped = (at: number) => mode === "sweep" && at % 3 === 0;
  const toSend = references.filter((_, at) => !isDropped(at));
  const history = new History();
  const acknowledged = new Set<string>();
  const progress = new Progress();
  let deliveries = 0;
  let processed = 0;
  let killed = 0;
  const shown = showProgress({
    output: process.stderr,
    line: () =>
      `${inbox}: ${acknowledged.size} of ${events} events acknowledged, ${processed} processed, ${killed} of ${kills} kills`,
    // Half of the work is to acknowledge them.
    share: () => (acknowledged.size + processed) / (2 * events),
  });
  const orders = mode === "sweep" ? references : [];
  const port = await freePort();
  const settings = { inbox, place, port, mode, orders };
  const { receiver, drainers } = await openPools(history, settings, sabotage ? [sabotage] : []);

  const send = async (reference: string) => {
    const isNew = mode === "versions" && random.chance(0.5);
    const delivery = deliveryOf(reference, undefined, isNew ? NEW_KIND : undefined);
    // Sometimes the response is lost, and the service delivers again.
    for (let times = random.chance(0.1) ? 2 : 1; times > 0; times--) {
      const tries = await deliver(port, delivery);
      deliveries += tries;
      if (acknowledged.has(reference)) continue;
      acknowledged.add(reference);
      progress.add();
    }
  };

  const at = async (count: number, work: (turn: number) => Promise<unknown>) => {
    const moments = Array.from({ length: count }, () => random.next() * toSend.length);
    for (const [turn, moment] of moments.sort((a, b) => a - b).entries()) {
      await progress.reached(moment);
      await sleep(random.next() * 50);
      await work(turn);
    }
  };
  const drainer = () => random.pick(drainers.processes.filter((one) => one.hasStarted));
  const kill = async () => {
    // Most of what can go wrong goes wrong in the processes that process.
    if (drainers.size > 0 && random.chance(0.8)) await drainers.kill(drainer());
    else {
      await receiver.kill(receiver.at(0));
      await receiver.ready();
    }
    killed++;
  };
  // Until a frozen process goes on, another one has its events.
  const freezes = drainers.size === 0 ? 0 : Math.ceil(kills / 4);
  const freeze = async () => drainer()?.freeze(1.5 * lease);
  // A receiver may be killed meanwhile, and starts while its engine is ill.
  const engineFaults = new EngineFaults(history, engine.faulty);
  const faults = options["engine-faults"] ? faultsOf(inbox, engine) : [];
  const rounds = Math.max(1, Math.floor(events / EVENTS_PER_FAULT));
  const planned = Array.from({ length: rounds }, () => faults).flat();
  const harm = async (turn: number) => {
    const { name, fault, engine: faulty } = planned[turn] as NamedFault;
    await engineFaults.inject(fault, name, faulty);
    await engineFaults.isWell;
  };

  // Without it, a receiver that never acknowledges would keep the campaign running for ever.
  const whileStored = async (work: Promise<unknown>) => {
    const over = work.then(() => true);
    for (let before = -1; ; before = acknowledged.size) {
      if (await Promise.race([over, sleep(idleMs, false, { ref: false })])) return;
      if (acknowledged.size === before) {
        throw new Error(`No delivery was acknowledged for ${idleMs} ms.`);
      }
    }
  };

  try {
    // Most kills happen while deliveries arrive; the rest while the last events are processed.
    const work = [
      forEachConcurrently(toSend, SENDERS, send),
      at(Math.ceil(kills * 0.9), kill),
      at(freezes, freeze),
      at(planned.length, harm),
    ];
    const failed = [receiver.failed, drainers.failed, engineFaults.failed];
    await Promise.race([whileStored(Promise.all(work)), ...failed]);
    while (killed < kills) {
      await sleep(random.next() * 500);
      await kill();
    }
    const wait = { idleMs, leaseMs: lease };
    const found = await effectsIn(
      () => shop.effects(place),
      references,
      wait,
      (count) => {
        processed = count;
      },
    );
    const drained = drainers.started;
    await Promise.all([drainers.close(), receiver.close()]);
    const open = references.filter((reference) => !found.has(reference));
    if (open.length > 0) {
      for (const line of mostOften([...receiver.errors, ...drainers.errors])) shown.note(line);
    }
    const sent = new Set(references);
    const made = countEach(history.all("engine_back").map(({ fault }) => fault));
    return outcomeOf(
      { inbox, mode, seed, events, kills, rounds },
      {
        ...{ sent: toSend.length, acknowledged: acknowledged.size, deliveries },
        ...{ open: open.length, dropped: references.length - toSend.length },
        lost: [...acknowledged].filter((reference) => !found.has(reference)).length,
        invented: [...found.keys()].filter((reference) => !sent.has(reference)).length,
        duplicated: [...found.values()].filter((count) => count > 1).length,
        ...{ kills: killed, drainers: drainers.size > 0 ? drained : 0 },
        deaths: history.all("died").map(({ error }) => error),
        faults: new Map(faults.map(({ name }) => [name, made.get(name) ?? 0])),
        seconds: Math.round((performance.now() - began) / 1_000),
      },
    );
  } finally {
    shown.end();
    await Promise.all([drainers.close(), receiver.close()]);
  }
}
