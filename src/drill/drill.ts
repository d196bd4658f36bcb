import { describeError } from "../internal/describe-error.ts";
import { Bench } from "./bench.ts";
import type { CaseRun } from "./case-run.ts";
import { allCases, type DrillCase, groupIntoWaves, randomCases, type Subject } from "./cases.ts";
import type { DrillSettings } from "./settings.ts";
import { finishDay, runWave } from "./wave.ts";

/** What became of one case. */
export type CaseResult = Pick<CaseRun, "case" | "problems" | "isTested" | "story">;

/** What a drill found. */
export interface DrillResult {
  readonly results: readonly CaseResult[];
  /** Why the drill could not test the shop; empty: it could. */
  readonly obstacles: readonly string[];
  /** What was not checked, and why. */
  readonly notChecked: readonly string[];
  readonly elapsedMs: number;
}

/** What a drill reports while it runs. */
export interface DrillListener {
  dryRun(results: readonly CaseResult[], notChecked: readonly string[]): void;
  progress(done: number, total: number): void;
  output(text: string): void;
}

export interface DrillOptions {
  /** Only the case of this number. */
  readonly only?: number | undefined;
  readonly cases?: readonly DrillCase[] | undefined;
  /** For the drill's own sabotage: no fault happens. */
  readonly faults?: boolean | undefined;
  readonly listener: DrillListener;
}

/** How many random orders are in the shop at once, and how often it is killed meanwhile. */
const MANY = 50;
const KILLS = 3;

const NOT_SEEN: Readonly<Partial<Record<Subject, string>>> = {
  initiated: "faults of payment.initiated (the shop gets no such event)",
  final: "faults of the final event (the shop gets no such event)",
  read: "faults of reads (the shop reads no payment while all goes well)",
};

/** Rehearses a shop. Never rejects for what the shop does. */
export async function runDrill(
  settings: DrillSettings,
  options: DrillOptions,
): Promise<DrillResult> {
  const started = performance.now();
  const notChecked = settings.effects ? [] : ["what the customer got (--effects is not given)"];
  const obstacles = new Set<string>();
  const results = await runPhases(settings, options, notChecked, obstacles);
  results.sort((a, b) => a.case.number - b.case.number);
  const [unread = [], untested = []] = [true, false].map((isRead) =>
    results.filter((one) => !one.isTested && (one.case.fault?.subject === "read") === isRead),
  );
  const [first] = untested;
  if (unread.length > 0)
    notChecked.push(`${unread.length} faults of reads (the shop read too late)`);
  if (first !== undefined) {
    const example = `the first one in case ${first.case.number} (${first.case.text})`;
    obstacles.add(`${untested.length} planned faults never happened, ${example}.`);
  }
  if (results.length === unread.length) obstacles.add("No case tested the shop.");
  return {
    results,
    obstacles: [...obstacles],
    notChecked,
    elapsedMs: performance.now() - started,
  };
}

/** Runs the dry run, the cases, and then many orders at once. An obstacle ends it. */
async function runPhases(
  settings: DrillSettings,
  options: DrillOptions,
  notChecked: string[],
  obstacles: Set<string>,
): Promise<CaseRun[]> {
  const { listener, only } = options;
  const run = (phase: Phase) => runInShop(settings, options, phase, obstacles);

  const dry = await run({
    waves: [allCases().filter(({ fault }) => fault === undefined)],
    obstacleOf: (one) => obstacleOf(one, settings),
  });
  if (obstacles.size > 0) return [];
  const seen = new Set(dry.flatMap((one) => [...one.seen]));
  for (const [subject, text] of Object.entries(NOT_SEEN)) {
    if (!seen.has(subject as Subject)) notChecked.push(text);
  }
  const isChosen = ({ number }: DrillCase) => only === undefined || number === only;
  listener.dryRun(dry, notChecked);

  const cases = (options.cases ?? allCases()).filter(
    (one) => one.fault !== undefined && seen.has(one.fault.subject) && isChosen(one),
  );
  const waves = groupIntoWaves(cases);
  const queue = waves.values();
  let done = 0;
  const worker = () =>
    run({
      waves: queue,
      onWave: (size) => {
        done += size;
        listener.progress(done, cases.length);
      },
    });
  const workers = Array.from({ length: Math.min(settings.workers, waves.length) }, worker);
  const results = (await Promise.all(workers)).flat();
  results.push(...dry.filter((one) => isChosen(one.case)));
  if (settings.orders === 0 || only !== undefined) return results;

  const random = randomCases(settings.orders, settings.seed, seen);
  const parts = Array.from({ length: Math.ceil(random.length / MANY) }, (_, index) =>
    random.slice(index * MANY, (index + 1) * MANY),
  );
  const many = await run({ waves: parts, kills: KILLS });
  // An order that the shop never took, because it was dead, has no moment for its fault.
  const isTested = many.some((one) => one.case.fault !== undefined && one.isTested);
  for (const one of many) one.isTested ||= isTested;
  return [...results, ...many];
}

interface Phase {
  readonly waves: Iterable<readonly DrillCase[]>;
  /** How often the shop is killed in each wave, beside the faults of its cases. */
  readonly kills?: number;
  readonly onWave?: (size: number) => void;
  readonly obstacleOf?: (run: CaseRun) => string | undefined;
}

/** Runs waves of cases in a new shop. Adds an obstacle if the shop cannot be tested. */
async function runInShop(
  settings: DrillSettings,
  { listener, faults: hasFaults = true }: DrillOptions,
  { waves, kills = 0, onWave, obstacleOf }: Phase,
  obstacles: Set<string>,
): Promise<readonly CaseRun[]> {
  const bench = new Bench(settings, hasFaults, listener.output);
  let runs: readonly CaseRun[] = [];
  let found: readonly (string | undefined)[];
  try {
    await bench.open();
    for (const wave of waves) {
      await runWave(bench, wave, kills);
      onWave?.(wave.length);
    }
    runs = await finishDay(bench, settings.quietMs);
    found = runs.map((run) => obstacleOf?.(run));
  } catch (error) {
    found = [describeError(error)];
  } finally {
    await bench.close();
  }
  const texts = found.filter((one) => one !== undefined);
  for (const text of texts) obstacles.add(text);
  const output = bench.output.trimEnd();
  if (texts.length > 0 && output !== "") obstacles.add(`The shop printed:\n${output}`);
  return runs;
}

/** Why an order without faults shows that the shop cannot be tested. */
function obstacleOf(run: CaseRun, settings: DrillSettings): string | undefined {
  const { orderStatus, payments, shown, wasRead, effects } = run;
  if (orderStatus === undefined || orderStatus >= 400) {
    return `An order without faults could not be placed: the shop returned ${orderStatus ?? "nothing"} for --order.`;
  }
  if (payments.length === 0) {
    return "The shop asked for no prompt for the phone of the order. Does it use {phone}, MALIPO_BASE_URL and MALIPO_API_KEY?";
  }
  if (shown === "not asked") {
    return "The order's id was not found in the response. Give --order-id, or a --status with {order}.";
  }
  if (!wasRead) return `--status could not be read: the shop says ${shown}.`;
  if (settings.effects !== undefined && shown === "paid" && effects === undefined) {
    return "--effects could not be read: the response has no number and no list at its pointer.";
  }
  return undefined;
}
