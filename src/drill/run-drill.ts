import { setTimeout as sleep } from "node:timers/promises";
import { describeError } from "../internal/describe-error.ts";
import { withoutCommands } from "../internal/visible.ts";
import { Bench } from "./bench.ts";
import type { CaseResult, CaseRun } from "./case-run.ts";
import { allCases, type DrillCase, hasKind, randomCases, type Subject } from "./cases.ts";
import { conclude, placedOrders } from "./conclude.ts";
import { finishDay } from "./day-end.ts";
import type { Untried } from "./drill-options.ts";
import type { DrillSettings } from "./drill-settings.ts";
import { firstOrder, numberIsNoCount, obstacleOf } from "./dry-run.ts";
import { groupIntoWaves } from "./group-cases.ts";
import { forgive, isSpoiled } from "./promises.ts";
import { runWave } from "./wave.ts";
import { whySkipped } from "./why-skipped.ts";

/** What a drill found. */
export interface DrillResult {
  /** Every case that was asked for, also what was not run. */
  readonly results: readonly CaseResult[];
  /** Why the drill could not test the shop; empty: it could. */
  readonly obstacles: readonly string[];
  readonly elapsedMs: number;
  readonly hasEffects: boolean;
  /** What the shop's settings leave out on purpose. */
  readonly without?: readonly Untried[];
  readonly seed: string;
  /** The module whose `onPaid` was drilled, as it was given; otherwise a shop was. */
  readonly goods?: string;
}

/** What a drill shows while it runs. */
export interface DrillListener {
  dryRun(results: readonly CaseResult[]): void;
  /** @param waitsFor - Tells what the drill waits for at the moment when it is called. */
  progress(done: number, total: number, waitsFor: () => string): void;
  output(text: string): void;
  /** Called with all results so far, each time when a shop's day has ended. */
  found?(results: Iterable<CaseResult>): void;
}

export interface DrillOptions {
  readonly cases?: readonly DrillCase[] | undefined;
  /** Results of an earlier drill: their cases are not run. */
  readonly known?: readonly CaseResult[] | undefined;
  readonly untilFirstFailure?: boolean | undefined;
  /** Ends the drill: the shops are stopped, and what is known is the result. */
  readonly signal?: AbortSignal | undefined;
  /** For the drill's own sabotage: no fault happens. */
  readonly faults?: boolean | undefined;
  readonly listener: DrillListener;
}

/** How often a case is run again, at most, if the machine was too busy for it, and how many at a time. */
const MAX_ROUNDS = 3;
const FEW = 3;
/** How long the day of a shop takes, at most, if the drill is interrupted. */
const MAX_END_MS = 15_000;
const INTERRUPTED = "the drill was interrupted";
const STOPPED = "the drill stopped before it";
/**
 * With one worker, so many waves follow the one in which the service is away. What the shop still does for its orders then
 * happens beside them.
 */
const WAVES_AFTER_AWAY = 4;
/** How many random orders are in the shop at once, and how often it is killed meanwhile. */
const MANY = 50;
const KILLS = 3;

/** Rehearses a shop. Never rejects for what the shop does. */
export async function runDrill(
  settings: DrillSettings,
  options: DrillOptions,
): Promise<DrillResult> {
  const started = performance.now();
  const drill = new Drill(settings, options);
  await drill.run();
  const { results, obstacles } = drill;
  return {
    results: [...results.values()].sort((a, b) => a.case.number - b.case.number),
    obstacles: [...obstacles],
    elapsedMs: performance.now() - started,
    hasEffects: settings.effects !== undefined,
    without: settings.without,
    seed: settings.seed,
  };
}

interface Phase {
  readonly waves: Iterator<readonly DrillCase[]>;
  /** How often the shop is killed in each wave, beside the faults of its cases. */
  readonly kills?: number;
  /** Its cases were counted before. */
  readonly isAgain?: true;
  readonly before?: (bench: Bench) => Promise<string | undefined>;
  readonly obstacleOf?: (run: CaseRun) => string | undefined;
}

class Drill {
  readonly results = new Map<number, CaseResult>();
  readonly obstacles = new Set<string>();
  readonly #settings: DrillSettings;
  readonly #options: DrillOptions;
  readonly #cases: readonly DrillCase[];
  /** No further wave begins. */
  #isOver = false;
  /** Whether two shops that ran side by side had one database. */
  #sharesData = false;
  #done = 0;
  /** The shops that run now. */
  readonly #benches = new Set<Bench>();

  constructor(settings: DrillSettings, options: DrillOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#cases = options.cases ?? allCases();
  }

  /** Runs the dry run, the cases, and then many orders at once. An obstacle ends it. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    const seen = await this.#rehearse();
    if (seen === undefined) return;
    const { orders, seed } = this.#settings;
    const random = randomCases(orders, seed, seen);
    await this.#runCases(seen);
    if (random.length > 0 && !this.#isOver) await this.#runMany(random);
    await this.#runSpoiled();
    const rest = signal?.aborted ? INTERRUPTED : STOPPED;
    for (const one of [...this.#cases, ...random]) {
      if (!this.results.has(one.number)) this.#skip(one, rest);
    }
    const sharesData = this.#sharesData;
    for (const why of conclude(this.results, { signal, sharesData })) this.obstacles.add(why);
  }

  /** Orders once from a phone that no person has, and then once for each customer. Resolves with what was seen. */
  async #rehearse(): Promise<Set<Subject> | undefined> {
    const first = allCases().filter(({ group }) => group === "nothing");
    const dry = await this.#runInShop({
      waves: [first].values(),
      before: (bench) => firstOrder(bench, first[0] as DrillCase),
      obstacleOf: (run) => obstacleOf(run, this.#settings),
    });
    if (this.obstacles.size > 0) return undefined;
    const isChosen = new Set(this.#cases.map(({ number }) => number));
    const chosen = dry.filter((one) => isChosen.has(one.case.number));
    for (const one of this.#options.known ?? []) {
      if (!isChosen.has(one.case.number)) continue;
      this.#done++;
      this.results.set(one.case.number, one);
    }
    this.#done -= chosen.filter((one) => this.results.has(one.case.number)).length;
    this.#add(chosen);
    this.#options.listener.dryRun(dry);
    this.#progress(chosen.length);
    return new Set(dry.flatMap((one) => [...one.seen]));
  }

  async #runCases(seen: ReadonlySet<Subject>): Promise<void> {
    const cases: DrillCase[] = [];
    for (const one of this.#cases) {
      if (one.group === "nothing" || this.results.has(one.number)) continue;
      const why = whySkipped(one, this.#settings, seen);
      if (why === undefined) cases.push(one);
      else this.#skip(one, why);
    }
    const waves = groupIntoWaves(cases);
    const isAway = (wave: readonly DrillCase[]) => wave.some((one) => hasKind(one, "away"));
    const away = waves.filter(isAway);
    const others = waves.filter((wave) => !isAway(wave));
    // With one worker, one shop runs at a time: its database may be the one of all of them.
    const isAlone = this.#settings.workers === 1;
    const queue = (isAlone ? others.toSpliced(-WAVES_AFTER_AWAY, 0, ...away) : others).values();
    const workers = Math.min(this.#settings.workers, waves.length);
    await Promise.all([
      ...Array.from({ length: workers }, () => this.#work(queue)),
      // They only wait, so they run beside the others, in their own shop.
      this.#work((isAlone ? [] : away).values()),
    ]);
  }

  /** Runs waves until there are none. A shop whose day has ended is followed by a new one. */
  async #work(queue: Iterator<readonly DrillCase[]>): Promise<void> {
    for (let isDone = false; !isDone && !this.#isOver; ) {
      const next = queue.next();
      if (next.done) return;
      const rest: Iterator<readonly DrillCase[]> = {
        next: () => {
          const one = queue.next();
          isDone = one.done === true;
          return one;
        },
      };
      this.#add(await this.#runInShop({ waves: prepend(next.value, rest) }));
    }
  }

  /** Runs what the machine may have spoiled again: a few orders at a time, in one shop. */
  async #runSpoiled(): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS && !this.#isOver; round++) {
      const spoiled = placedOrders(this.results).filter(
        (run) => isSpoiled(run) && !run.case.isRandom,
      );
      if (spoiled.length === 0) return;
      const waves = groupIntoWaves(
        spoiled.map((run) => run.case),
        FEW,
      );
      const again = await this.#runInShop({ waves: waves.values(), isAgain: true });
      for (const run of spoiled) forgive(run);
      // What was wrong on any machine stays wrong.
      const isOpen = (run: CaseRun) =>
        !spoiled.some((one) => one.case === run.case && one.problems.size > 0);
      this.#add(again.filter(isOpen));
    }
  }

  async #runMany(random: readonly DrillCase[]): Promise<void> {
    const parts = Array.from({ length: Math.ceil(random.length / MANY) }, (_, index) =>
      random.slice(index * MANY, (index + 1) * MANY),
    );
    const many = await this.#runInShop({ waves: parts.values(), kills: KILLS });
    // An order that the shop never took, because it was dead, has no moment for its fault.
    const isTested = many.some((one) => one.case.faults.length > 0 && one.isTested);
    for (const one of many) {
      if (isTested && !one.isTested) one.skipped ??= "the shop was dead at the moment of the fault";
    }
    this.#add(many);
  }

  #skip(one: DrillCase, skipped: string): void {
    this.#done++;
    this.results.set(one.number, { case: one, problems: new Map(), story: [], skipped });
  }

  #add(runs: readonly CaseRun[]): void {
    for (const run of runs) {
      const isRead = run.case.faults.some(({ subject }) => subject === "read");
      if (!run.isTested && isRead) run.skipped ??= "the shop read the payment too late";
      // What is wrong is wrong, whether or not the fault has happened.
      if (run.problems.size > 0) run.skipped = undefined;
      this.results.set(run.case.number, run);
      const isBroken = run.problems.size > 0 && !isSpoiled(run);
      if (isBroken && this.#options.untilFirstFailure) this.#isOver = true;
    }
    this.#options.listener.found?.(this.results.values());
  }

  /** Runs waves of cases in a new shop. Adds an obstacle if the shop cannot be tested. */
  async #runInShop({
    waves,
    kills = 0,
    isAgain,
    before,
    obstacleOf,
  }: Phase): Promise<readonly CaseRun[]> {
    const { listener, faults = true, signal, untilFirstFailure } = this.#options;
    if (signal?.aborted) return [];
    const bench = new Bench(this.#settings, faults, listener.output);
    this.#benches.add(bench);
    let known: readonly CaseRun[] | undefined;
    let found: readonly (string | undefined)[] = [];
    let ended = 0;
    const aborted = new Promise<void>((resolve) => {
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
    const runDay = async () => {
      await bench.open();
      const obstacle = await before?.(bench);
      if (obstacle !== undefined) return [obstacle];
      for (let next = waves.next(); !next.done; next = waves.next()) {
        const isRight = await runWave(bench, next.value, kills);
        if (signal?.aborted) return [];
        ended = bench.runs.length;
        if (obstacleOf === undefined) this.#progress(isAgain ? 0 : next.value.length);
        // A shop that is down for good is followed by a new one.
        if (this.#isOver || (untilFirstFailure && !isRight) || bench.down !== undefined) break;
      }
      const runs = await finishDay(bench, this.#settings.quietMs);
      if (obstacleOf !== undefined && bench.down !== undefined) return [bench.down];
      if (obstacleOf === undefined) return [];
      return [...runs.map(obstacleOf), numberIsNoCount(runs)];
    };
    try {
      const day = runDay();
      found = (await Promise.race([day, aborted])) ?? [];
      if (signal?.aborted) known = await endEarly(bench, ended, day);
    } catch (error) {
      found = [describeError(error)];
    } finally {
      await bench.close();
      this.#benches.delete(bench);
      this.#sharesData ||= bench.sharesData;
      this.#isOver ||= bench.sharesData;
    }
    const texts = found.flatMap((one) => (one === undefined ? [] : [withoutCommands(one)]));
    for (const text of texts) this.obstacles.add(text);
    if (bench.hasPrintedTooMuch) {
      this.obstacles.add(
        "The shop printed more than 64 MB: the rest was not searched for secrets.",
      );
    }
    const output = bench.output.trimEnd();
    if (texts.length > 0 && output !== "") {
      this.obstacles.add(`The shop printed:\n${quoteOutput(output)}`);
    }
    return known ?? bench.runs;
  }

  /** @param more - How many cases have ended now. */
  #progress(more: number): void {
    this.#done += more;
    const total = this.#cases.length + this.#settings.orders;
    const waits = () => [...this.#benches].map(({ waitsFor }) => waitsFor).join("; ");
    this.#options.listener.progress(this.#done, total, waits);
  }
}

/**
 * Ends the day of a shop at once, since the drill was interrupted. Resolves with the orders that say something: those
 * whose wave had ended and that are right after a restart, and those of which something wrong was seen.
 */
async function endEarly(
  bench: Bench,
  ended: number,
  day: Promise<unknown>,
): Promise<readonly CaseRun[]> {
  const all = [...bench.runs];
  const wrong = all.filter(({ problems }) => problems.size > 0);
  let end = day;
  if (!bench.isEnding) {
    bench.runs.splice(ended);
    end = ended > 0 ? finishDay(bench, 0) : Promise.reject();
  }
  const limit = sleep(MAX_END_MS, false, { ref: false });
  const isOver = await Promise.race([end.then(Boolean, () => false), limit]);
  const isRight = (run: CaseRun) => isOver && run.problems.size === 0 && bench.runs.includes(run);
  return all.filter((run) => wrong.includes(run) || isRight(run));
}

/** Whether some cases are left for another drill. */
export const hasRest = ({ results }: DrillResult): boolean =>
  results.some(({ skipped }) => skipped === INTERRUPTED || skipped === STOPPED);

function* prepend<Item>(first: Item, rest: Iterator<Item>): Generator<Item> {
  yield first;
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value;
}

/** No line of a shop may look like one of the drill, or like a command of a CI system. */
export const quoteOutput = (text: string): string =>
  text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => `  shop | ${withoutCommands(line)}`)
    .join("\n");
