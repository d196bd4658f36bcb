import { setTimeout as sleep } from "node:timers/promises";
import { showProgress } from "../../../src/cli/terminal/progress.ts";
import { freePort } from "../../../src/drill/child.ts";
import type { EngineFault } from "../../support/engines/faults.ts";
import { flag, maybeNumber, number, oneOf } from "../harness/arguments.ts";
import { bundle } from "../harness/bundle.ts";
import { ENGINES } from "../harness/engines.ts";
import type { History } from "../harness/history.ts";
import { EngineFaults } from "../harness/incidents.ts";
import { atCounts } from "../harness/plan.ts";
import { Pool, type Program } from "../harness/processes.ts";
import { createRandom, type Random } from "../harness/random.ts";
import type { Given } from "../harness/subject.ts";
import { countEach, type Row } from "../harness/table.ts";
import { forEachConcurrently, Progress } from "../harness/waits.ts";
import { NEXT_VERSION } from "../sabotages.ts";
import type { Asked, Found } from "./check.ts";
import { deliver, deliveryOf } from "./sender.ts";
import { MODES, NEW_KIND, type ShopSettings, VERSIONS } from "./settings.ts";

export const OPTIONS = {
  events: number([1, 1_000_000], 20_000, "signed events to send"),
  kills: number([0, 100_000], 100, "processes to kill with SIGKILL; memory has none"),
  mode: oneOf(MODES, "start", "who processes the events"),
  "engine-faults": flag("do not kill, hang or cut off the engine of the inbox"),
  // For a quick run.
  "lease-ms": maybeNumber(600_000, "how long a lease is; retries come without a wait then"),
  "idle-ms": maybeNumber(
    3_600_000,
    "how long nothing happens until events without effect count as lost",
  ),
};

export type InboxHistory = History<{ readonly what: "found"; readonly asked: Asked } & Found>;
type InboxGiven = Given<typeof OPTIONS, InboxHistory>;

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

/** What each fault of an engine is. A SQLite file that hangs has been locked. */
const FAULTS: Readonly<Record<EngineFault, string>> = {
  killed: "engine killed and restarted",
  hung: "engine hung for 1.5 s",
  cut: "all connections cut",
  locked: "file locked for 7 s",
};

const referencesOf = ({ events }: Asked): string[] =>
  Array.from({ length: events }, (_, at) => `PAY-${String(at).padStart(6, "0")}`);

/** The lines that processes wrote to stderr most often. */
const mostOften = (texts: readonly string[]): string[] =>
  [...countEach(texts.join("").split("\n").filter(Boolean))]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN_ERRORS)
    .map(([line, count]) => `${count} times on stderr: ${line.slice(0, MAX_LINE)}`);

/** The processes of a shop: the one that receives, and those that drain beside it. */
async function openPools(
  { history, file, changes }: InboxGiven,
  settings: Omit<ShopSettings, "version"> & Pick<Asked, "mode">,
) {
  const { mode } = settings;
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

type Pools = Awaited<ReturnType<typeof openPools>>;

/** Posts signed events to a receiver that is killed, and counts what happened to them. */
export class Campaign {
  readonly #given: InboxGiven;
  readonly #asked: Asked;
  readonly #pools: Pools;
  readonly #port: number;
  readonly #leaseMs: number;
  readonly #idleMs: number;
  readonly #random: Random;
  readonly #engineFaults: EngineFaults;
  readonly #references: readonly string[];
  /** What is sent: a sweep finds the rest. */
  readonly #toSend: readonly string[];
  readonly #acknowledged = new Set<string>();
  readonly #progress = new Progress();
  #deliveries = 0;
  #processed = 0;
  #killed = 0;

  private constructor(given: InboxGiven, asked: Asked, port: number, pools: Pools) {
    const { "lease-ms": leaseMs, "idle-ms": idleMs } = given.options;
    this.#given = given;
    this.#asked = asked;
    this.#port = port;
    this.#pools = pools;
    this.#leaseMs = leaseMs ?? DEFAULT_LEASE_MS;
    this.#idleMs = idleMs ?? (leaseMs === undefined ? IDLE_MS : SHORT_IDLE_MS);
    this.#random = createRandom(`${asked.seed} events`);
    this.#engineFaults = new EngineFaults(given.history, given.engine.faulty);
    this.#references = referencesOf(asked);
    this.#toSend = this.#references.filter((_, at) => asked.mode !== "sweep" || at % 3 !== 0);
  }

  static async open(given: InboxGiven): Promise<Campaign> {
    const { options, seed, engine } = given;
    const { events, mode, "lease-ms": leaseMs } = options;
    const { place } = engine;
    // The memory inbox is lost with its process.
    const kills = ENGINES[place.engine].isShared ? options.kills : 0;
    const rounds = Math.max(1, Math.floor(events / EVENTS_PER_FAULT));
    const asked: Asked = { engine: place.engine, mode, seed, events, kills, rounds };
    const port = await freePort();
    const orders = mode === "sweep" ? referencesOf(asked) : [];
    const pools = await openPools(given, { place, port, mode, orders, leaseMs });
    return new Campaign(given, asked, port, pools);
  }

  async #send(reference: string): Promise<void> {
    const isNew = this.#asked.mode === "versions" && this.#random.chance(0.5);
    const delivery = deliveryOf(reference, undefined, isNew ? NEW_KIND : undefined);
    // Sometimes the response is lost, and the service delivers again.
    for (let times = this.#random.chance(0.1) ? 2 : 1; times > 0; times--) {
      const tries = await deliver(this.#port, delivery);
      this.#deliveries += tries;
      if (this.#acknowledged.has(reference)) continue;
      this.#acknowledged.add(reference);
      this.#progress.add();
    }
  }

  /** Does something at moments of chance, while deliveries arrive. */
  #atMoments(times: number, work: (turn: number) => Promise<unknown>): Promise<void> {
    const moments = Array.from({ length: times }, () => this.#random.next() * this.#toSend.length);
    return atCounts(
      this.#progress,
      moments.sort((a, b) => a - b),
      async (turn) => {
        await sleep(this.#random.next() * 50);
        await work(turn);
      },
    );
  }

  #drainer() {
    return this.#random.pick(this.#pools.drainers.processes.filter((one) => one.hasStarted));
  }

  async #kill(): Promise<void> {
    const { receiver, drainers } = this.#pools;
    // Most of what can go wrong goes wrong in the processes that process.
    if (drainers.size > 0 && this.#random.chance(0.8)) await drainers.kill(this.#drainer());
    else {
      await receiver.kill(receiver.at(0));
      await receiver.ready();
    }
    this.#killed++;
  }

  /** The faults of the engine, each as often as it is to be made. */
  get #faults(): readonly EngineFault[] {
    return this.#given.options["engine-faults"] ? (this.#given.engine.faulty?.faults ?? []) : [];
  }

  /** Sends all events. Most kills happen meanwhile; the rest while the last events are processed. */
  async #sendAll(): Promise<void> {
    const { kills, rounds } = this.#asked;
    const planned = Array.from({ length: rounds }, () => this.#faults).flat();
    // Until a frozen process goes on, another one has its events.
    const freezes = this.#pools.drainers.size === 0 ? 0 : Math.ceil(kills / 4);
    await Promise.all([
      forEachConcurrently(this.#toSend, SENDERS, (reference) => this.#send(reference)),
      this.#atMoments(Math.ceil(kills * 0.9), () => this.#kill()),
      this.#atMoments(freezes, async () => this.#drainer()?.freeze(EXTRA_LEASES * this.#leaseMs)),
      // A receiver may be killed meanwhile, and starts while its engine is ill.
      this.#atMoments(planned.length, async (turn) => {
        await this.#engineFaults.inject(planned[turn] as EngineFault);
        await this.#engineFaults.isWell;
      }),
    ]);
  }

  /** Without it, a receiver that never acknowledges would keep the campaign running for ever. */
  async #whileStored(work: Promise<unknown>): Promise<void> {
    const over = work.then(() => true);
    for (let before = -1; ; before = this.#acknowledged.size) {
      if (await Promise.race([over, sleep(this.#idleMs, false, { ref: false })])) return;
      if (this.#acknowledged.size === before) {
        throw new Error(`No delivery was acknowledged for ${this.#idleMs} ms.`);
      }
    }
  }

  /** Waits until every event had an effect, or nothing happens any more. Resolves with how many each had. */
  async #effects(): Promise<ReadonlyMap<string, number>> {
    const count = async () => countEach(await this.#given.engine.tables.rows("effects"));
    let found = await count();
    let progressAt = performance.now();
    while (performance.now() - progressAt < this.#idleMs) {
      if (this.#references.every((reference) => found.has(reference))) break;
      await sleep(500);
      const counts = await count();
      if (counts.size > found.size) progressAt = performance.now();
      found = counts;
      this.#processed = counts.size;
    }
    // By then, an event that is processed twice has been.
    await sleep(EXTRA_LEASES * this.#leaseMs);
    return count();
  }

  #found(effects: ReadonlyMap<string, number>, drained: number): Found {
    const { history } = this.#given;
    const { drainers } = this.#pools;
    const sent = new Set(this.#references);
    const made = countEach(history.all("engine_back").map(({ fault }) => fault));
    return {
      ...{ sent: this.#toSend.length, acknowledged: this.#acknowledged.size },
      ...{ deliveries: this.#deliveries, kills: this.#killed },
      open: this.#references.filter((reference) => !effects.has(reference)).length,
      dropped: this.#references.length - this.#toSend.length,
      lost: [...this.#acknowledged].filter((reference) => !effects.has(reference)).length,
      invented: [...effects.keys()].filter((reference) => !sent.has(reference)).length,
      duplicated: [...effects.values()].filter((count) => count > 1).length,
      drainers: drainers.size > 0 ? drained : 0,
      deaths: history.all("died").map(({ error }) => error),
      faults: this.#faults.map((fault) => [FAULTS[fault], made.get(fault) ?? 0]),
    };
  }

  async run(): Promise<readonly Row[]> {
    const began = performance.now();
    const { engine, events, kills } = this.#asked;
    const { receiver, drainers } = this.#pools;
    const shown = showProgress({
      output: process.stderr,
      line: () =>
        `${engine}: ${this.#acknowledged.size} of ${events} events acknowledged, ${this.#processed} processed, ${this.#killed} of ${kills} kills`,
      // Half of the work is to acknowledge them.
      share: () => (this.#acknowledged.size + this.#processed) / (2 * events),
    });
    try {
      const failed = [receiver.failed, drainers.failed, this.#engineFaults.failed];
      await Promise.race([this.#whileStored(this.#sendAll()), ...failed]);
      while (this.#killed < kills) {
        await sleep(this.#random.next() * 500);
        await this.#kill();
      }
      const effects = await this.#effects();
      const drained = drainers.started;
      await Promise.all([drainers.close(), receiver.close()]);
      const found = this.#found(effects, drained);
      this.#given.history.note("campaign", { what: "found", asked: this.#asked, ...found });
      if (found.open > 0) {
        for (const line of mostOften([...receiver.errors, ...drainers.errors])) shown.note(line);
      }
    } finally {
      shown.end();
      await Promise.all([drainers.close(), receiver.close()]);
    }
    return [["seconds", Math.round((performance.now() - began) / 1_000)]];
  }
}
