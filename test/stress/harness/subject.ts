import type { Options, Values } from "./arguments.ts";
import { bundle, type Change, type Sabotage, type Sabotages } from "./bundle.ts";
import type { EngineName } from "./databases.ts";
import { type OpenEngine, openEngine } from "./engines.ts";
import { History, saveHistory } from "./history.ts";
import type { Outcome, Row } from "./table.ts";
import { waitFor } from "./waits.ts";

/** What one campaign is given. `Own`: the options of its subject, `Events`: its history. */
export interface Given<Own extends Options, Events> {
  readonly options: Values<Own>;
  readonly seed: string;
  readonly engine: OpenEngine;
  /** Gets everything that happens, also if the campaign fails. */
  readonly history: Events;
  /** What the processes of the shop run. */
  readonly file: string;
  /** What was changed in the source of that. */
  readonly changes: readonly Change[];
}

/** What campaigns try: who takes part, what they run, and what is judged. */
export interface Subject<Own extends Options = Options, Events = History> {
  readonly name: string;
  /** The promise. */
  readonly about: string;
  readonly engines: readonly EngineName[];
  readonly options: Own;
  /** The file that the processes run, under `test/stress`. */
  readonly program: string;
  /** What is always changed in the source for them. Without any change, they use the built package. */
  readonly changes?: readonly Change[];
  readonly sabotages: Sabotages;
  /** Why there is no campaign with these options on an engine. */
  readonly notOn?: (engine: EngineName, options: Values<Own>) => string | undefined;
  /** Runs a campaign. Resolves with what is counted beside its history. */
  readonly run: (given: Given<Own, Events>) => Promise<readonly Row[]>;
  /** Whether every promise held, by a history. */
  readonly judge: (history: Events) => Outcome;
}

/** Hides what is special about a subject from the command line: its options and its events. */
export const subject = <Own extends Options, Events>(one: Subject<Own, Events>) =>
  one as unknown as Subject & { readonly options: Own };

interface Asked {
  readonly seed: string;
  readonly sabotage?: Sabotage | undefined;
  readonly history?: string | undefined;
}

/** Runs a campaign on an engine. `undefined` if this machine has none, or nothing to try on it. */
export async function runCampaign(
  { name, program, changes: always = [], notOn, run, judge }: Subject,
  engineName: EngineName,
  { seed, sabotage, history: saved, ...options }: Asked & Values<Options>,
): Promise<Outcome | undefined> {
  if (sabotage?.on !== undefined && sabotage.on !== engineName) return undefined;
  const why = notOn?.(engineName, options);
  if (why !== undefined) {
    console.log(why);
    return undefined;
  }
  const engine = await openEngine(engineName);
  if (engine === undefined) return undefined;
  const history = new History();
  const changes = sabotage === undefined ? always : [...always, sabotage];
  try {
    const file = await bundle(program, changes.length > 0 ? changes : undefined);
    history.note("campaign", {
      ...{ what: "start", subject: name, engine: engineName, seed, options },
      engineFaults: engine.faulty?.faults ?? [],
    });
    const rows = await run({ options, seed, engine, history, file, changes });
    const outcome = judge(history);
    return { ...outcome, rows: [...outcome.rows, ...rows] };
  } finally {
    if (saved !== undefined) saveHistory(saved, history.events());
    await waitFor(engine.close(), () => `${engineName} to be stopped`);
  }
}
