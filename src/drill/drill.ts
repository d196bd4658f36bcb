import { Bench } from "./bench.ts";
import type { CaseRun } from "./case-run.ts";
import { allCases, type DrillCase, groupIntoWaves, randomCases, type Subject } from "./cases.ts";
import { PROMISES } from "./promises.ts";
import type { DrillSettings } from "./settings.ts";

/** What became of one case. */
export interface CaseResult {
  readonly case: DrillCase;
  /** What is wrong, by the name of the promise. Empty: every promise holds. */
  readonly problems: ReadonlyMap<string, string>;
  /** Whether the planned fault happened. */
  readonly isTested: boolean;
  readonly story: CaseRun["story"];
}

/** What a drill found. */
export interface DrillResult {
  /** The dry run: what the shop said without faults, by the customer. */
  readonly dryRun: readonly CaseResult[];
  readonly results: readonly CaseResult[];
  /** Why the drill cannot judge; empty: it can. */
  readonly cannotJudge: readonly string[];
  /** What was not checked, and why. */
  readonly notChecked: readonly string[];
  readonly elapsedMs: number;
}

/** What a drill tells while it runs. */
export interface DrillListener {
  dryRun(results: readonly CaseResult[], notChecked: readonly string[]): void;
  progress(done: number, total: number, failed: number): void;
  output(text: string): void;
  end(): void;
}

export interface DrillOptions {
  /** Only this case. */
  readonly only?: number | undefined;
  readonly cases?: readonly DrillCase[] | undefined;
  /** For the drill's own sabotage: no fault happens. */
  readonly faults?: boolean | undefined;
  readonly listener: DrillListener;
}

const resultOf = (run: CaseRun): CaseResult => ({
  case: run.case,
  problems: run.problems,
  isTested: run.case.fault === undefined || run.faultHappened,
  story: [...run.story].sort((a, b) => a.atMs - b.atMs),
});

/** Rehearses a shop. Never rejects for what the shop does. */
export async function runDrill(
  settings: DrillSettings,
  options: DrillOptions,
): Promise<DrillResult> {
  const started = performance.now();
  const { listener, only } = options;
  const every = options.cases ?? allCases();
  const notChecked =
    settings.effects === undefined ? ["what the customer got (--effects is not given)"] : [];
  const finish = (result: Omit<DrillResult, "elapsedMs" | "notChecked">): DrillResult => ({
    ...result,
    notChecked,
    elapsedMs: performance.now() - started,
  });
  const dry = await runDry(settings, options);
  if (dry.cannotJudge.length > 0)
    return finish({ dryRun: dry.results, results: [], cannotJudge: dry.cannotJudge });
  const seen = dry.seen;
  const missing = (["initiated", "final", "read"] as const).filter((subject) => !seen.has(subject));
  const reasons: Readonly<Record<string, string>> = {
    initiated: "faults of payment.initiated (the shop gets no such event)",
    final: "faults of the final event (the shop gets no such event)",
    read: "faults of reads (the shop reads no payment while all goes well)",
  };
  notChecked.push(...missing.map((subject) => reasons[subject] ?? subject));
  listener.dryRun(dry.results, notChecked);
  const cases = every.filter(
    ({ number, fault }) =>
      fault !== undefined && seen.has(fault.subject) && (only === undefined || number === only),
  );
  const results =
    only === undefined || only <= dry.results.length
      ? dry.results.filter(({ case: one }) => only === undefined || one.number === only)
      : [];
  const all = [...results];
  all.push(
    ...(await runCases(settings, cases, options, (failed, done) => {
      listener.progress(done, cases.length, failed);
    })),
  );
  if (settings.orders > 0 && only === undefined) {
    all.push(...(await runMany(settings, options, seen)));
  }
  listener.end();
  all.sort((a, b) => a.case.number - b.case.number);
  const isUnread = ({ case: one, isTested }: CaseResult) =>
    !isTested && one.fault?.subject === "read";
  const unread = all.filter(isUnread).length;
  if (unread > 0) notChecked.push(`${unread} faults of reads (the shop read too late)`);
  const untested = all.filter((one) => !one.isTested && !isUnread(one));
  const cannotJudge =
    untested.length === 0
      ? []
      : [
          `${untested.length} planned faults never happened, the first one in case ${untested[0]?.case.number} (${untested[0]?.case.text}).`,
        ];
  if (all.length === 0) cannotJudge.push("No case ran.");
  return finish({ dryRun: dry.results, results: all, cannotJudge });
}

async function runDry(settings: DrillSettings, { listener, faults = true }: DrillOptions) {
  const bench = new Bench(settings, { faults, onOutput: (text) => listener.output(text) });
  const cannotJudge: string[] = [];
  const seen = new Set<Subject>();
  let runs: readonly CaseRun[] = [];
  try {
    await bench.open();
    await bench.runWave(allCases().filter(({ fault }) => fault === undefined));
    runs = await bench.end();
    for (const run of runs) {
      for (const subject of run.seen) seen.add(subject);
      if (run.orderStatus === undefined || run.orderStatus >= 400) {
        cannotJudge.push(
          `An order without faults could not be placed: the shop returned ${run.orderStatus ?? "nothing"} for --order.`,
        );
      } else if (run.ledger.length === 0) {
        cannotJudge.push(
          "The shop asked for no prompt for the phone of the order. Does it use {phone}, MALIPO_BASE_URL and MALIPO_API_KEY?",
        );
      } else if (run.belief === "not asked") {
        cannotJudge.push(
          "The order's id was not found in the response. Give --order-id, or a --status with {order}.",
        );
      } else if (!run.wasRead) {
        cannotJudge.push(`--status could not be read: the shop says ${run.belief}.`);
      }
    }
  } catch (error) {
    cannotJudge.push(error instanceof Error ? error.message : String(error));
  } finally {
    await bench.close();
  }
  if (cannotJudge.length > 0 && bench.output !== "")
    cannotJudge.push(`The shop printed:\n${bench.output.trimEnd()}`);
  return { results: runs.map(resultOf), seen, cannotJudge: [...new Set(cannotJudge)] };
}

/** Runs the cases in several shops side by side. */
async function runCases(
  settings: DrillSettings,
  cases: readonly DrillCase[],
  { listener, faults = true }: DrillOptions,
  onProgress: (failed: number, done: number) => void,
): Promise<CaseResult[]> {
  const waves = groupIntoWaves(cases);
  const queue = waves.values();
  const results: CaseResult[] = [];
  let done = 0;
  const worker = async () => {
    const bench = new Bench(settings, { faults, onOutput: (text) => listener.output(text) });
    try {
      await bench.open();
      for (const wave of queue) {
        await bench.runWave(wave);
        done += wave.length;
        onProgress(results.filter(({ problems }) => problems.size > 0).length, done);
      }
      results.push(...(await bench.end()).map(resultOf));
    } finally {
      await bench.close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(settings.workers, waves.length) }, worker));
  return results;
}

/** How many orders are in the shop at once, and how often it is killed meanwhile. */
const MANY = 50;
const KILLS = 3;

/** Runs many orders at once, with random faults. */
async function runMany(
  settings: DrillSettings,
  { listener, faults = true }: DrillOptions,
  seen: ReadonlySet<Subject>,
): Promise<CaseResult[]> {
  const cases = randomCases(settings.orders, settings.seed, seen);
  const bench = new Bench(settings, { faults, onOutput: (text) => listener.output(text) });
  try {
    await bench.open();
    for (let index = 0; index < cases.length; index += MANY) {
      await bench.runWave(cases.slice(index, index + MANY), KILLS);
    }
    const runs = await bench.end();
    // An order that the shop never took, because it was dead, has no moment for its fault.
    const isTested = runs.some(({ faultHappened }) => faultHappened);
    return runs.map(resultOf).map((one) => ({ ...one, isTested: one.isTested || isTested }));
  } finally {
    await bench.close();
  }
}

/** The cases that broke each promise, in the order of the table. */
export const byPromise = (results: readonly CaseResult[]) =>
  PROMISES.map((promise) => ({
    promise,
    failed: results.filter(({ problems }) => problems.has(promise.name)),
  }));
