import { setTimeout as sleep } from "node:timers/promises";
import type { EngineFault, FaultyEngine } from "../../support/engines/faults.ts";
import type { CommonHappening, Event, History, Named } from "./history.ts";
import { failure, HANG_MS, historyTime, waitFor } from "./waits.ts";

/** What happens to a process, its clock or the engine, while the process stands at a point of its work. */
export type Incident<Point extends string = string, Until extends string = string> = {
  readonly name: string;
  readonly at: Point;
} & (
  | { readonly act: "kill" }
  /** At least this long, and then until another process has done something. */
  | { readonly act: "sleep"; readonly ms: number; readonly until?: Until }
  | { readonly act: "engine"; readonly fault: EngineFault }
  /** Its wall clock is stepped to so far from the right time. */
  | { readonly act: "clock"; readonly offsetMs: number }
);

export type Stopped = Named<CommonHappening, "asleep">;

/** What other processes do while one sleeps may never come: chance is a part of a campaign. */
const MAX_UNTIL_MS = 80_000;
/** How long a process still sleeps after another one went on. */
const WAKE_DELAY_MS = 300;

/** Lets things happen to the engine of a store, one at a time. */
export class EngineFaults {
  readonly #history: History;
  readonly #engine: FaultyEngine | undefined;
  #isWell: Promise<void> = Promise.resolve();
  readonly #failure = failure();
  /** Rejects when the engine hangs. */
  readonly failed: Promise<never> = this.#failure.promise;

  constructor(history: object, engine: FaultyEngine | undefined) {
    this.#history = history as History;
    this.#engine = engine;
  }

  get isWell(): Promise<void> {
    return this.#isWell;
  }

  /** Does something that no fault of the engine may come into. */
  alone(work: () => Promise<void>): Promise<void> {
    const done = this.#isWell.then(work);
    this.#isWell = done;
    done.catch(this.#failure.reject);
    return done;
  }

  /** Waits until the engine is well. Resolves when it has the fault, with whether it got it. */
  inject(fault: EngineFault): Promise<boolean> {
    let isThere: (hasFault: boolean) => void;
    const there = new Promise<boolean>((resolve) => {
      isThere = resolve;
    });
    const over = this.alone(async () => {
      this.#history.note("engine", { what: "engine", fault });
      const injected = Promise.resolve(this.#engine?.inject(fault)).catch((error: unknown) => {
        this.#history.note("engine", { what: "engine_failed", fault, error: String(error) });
        return undefined;
      });
      const injection = await waitFor(injected, () => `the engine to be ${fault}`);
      isThere(injection !== undefined);
      if (injection === undefined) return;
      await waitFor(injection.over, () => `the engine to be well after it was ${fault}`);
      this.#history.note("engine", { what: "engine_back", fault });
    });
    return Promise.race([there, over.then(() => there)]);
  }
}

/** What the incidents of a campaign need of it. */
export interface IncidentSetup {
  readonly history: object;
  readonly faults: EngineFaults;
  /** What is planned for a key. It happens once. */
  readonly planned: (key: string) => Incident | undefined;
  /** Whether an event is what a process sleeps for. */
  readonly isUntil: (until: string, stopped: Stopped, event: Event<never>) => boolean;
  /** Since when that may have come. Default: since the process stands. */
  readonly since?: ((stopped: Stopped) => number) | undefined;
  readonly kill: (who: string) => Promise<void>;
  readonly goOn: (who: string, told?: object) => void;
}

/** Lets the incidents of a campaign happen: to processes that stand at their points. */
export class Incidents {
  readonly #setup: IncidentSetup;
  readonly #history: History;
  readonly #happened = new Set<string>();
  readonly #active = new Map<Promise<void>, string>();
  readonly #standing = new Set<string>();
  readonly #failure = failure();
  /** Rejects when an incident cannot end: then the campaign proves nothing. */
  readonly failed: Promise<never>;

  constructor(setup: IncidentSetup) {
    this.#setup = setup;
    this.#history = setup.history as History;
    this.failed = Promise.race([this.#failure.promise, setup.faults.failed]);
    this.failed.catch(() => {});
    this.#history.follow((event) => {
      if (event.what === "asleep") this.#reach(event);
    });
  }

  /** Whether a process has stopped for the incident of a key. */
  hasHappened = (key: string): boolean => this.#happened.has(key);

  /** Whether a process stands at its point: only what is planned happens to it. */
  isStanding = (who: string): boolean => this.#standing.has(who);

  get standing(): number {
    return this.#standing.size;
  }

  #reach(stopped: Stopped): void {
    const { key, who, point } = stopped;
    const incident = this.#setup.planned(key);
    // Another process may come to the same point later: it just goes on.
    if (incident?.at !== point || this.#happened.has(key)) {
      this.#setup.goOn(who);
      return;
    }
    this.#happened.add(key);
    this.#standing.add(who);
    const over: Promise<void> = this.#happen(incident, stopped).finally(() => {
      this.#active.delete(over);
      this.#standing.delete(who);
    });
    over.catch(this.#failure.reject);
    this.#active.set(over, `${incident.name} of ${key} in ${who}`);
  }

  async #happen(incident: Incident, stopped: Stopped): Promise<void> {
    const { key, who } = stopped;
    const { faults, kill, goOn } = this.#setup;
    if (incident.act === "sleep") await this.#sleep(incident, stopped);
    const isDone = incident.act !== "engine" || (await faults.inject(incident.fault));
    const { name } = incident;
    const happening = { what: "incident", key, name, to: who, from: stopped.at };
    if (isDone) this.#history.note("campaign", happening as never);
    if (incident.act === "kill") return kill(who);
    goOn(who, incident.act === "clock" ? { offsetMs: incident.offsetMs } : {});
  }

  async #sleep(
    { ms, until }: { readonly ms: number; readonly until?: string },
    stopped: Stopped,
  ): Promise<void> {
    const { isUntil, since = ({ at }) => at } = this.#setup;
    const isIt = (event: Event<CommonHappening>) =>
      event.who !== stopped.who && isUntil(until ?? "", stopped, event as never);
    const hasCome =
      until && this.#history.first(since(stopped), isIt).then(() => sleep(WAKE_DELAY_MS));
    await sleep(Math.max(0, stopped.at + ms - historyTime()));
    if (hasCome) await Promise.race([hasCome, sleep(MAX_UNTIL_MS, undefined, { ref: false })]);
  }

  /** Resolves when no process stands any more and the engine is well. */
  async idle(): Promise<void> {
    const allOver = async () => {
      // Incidents begin while others end.
      while (this.#active.size > 0) await Promise.all(this.#active.keys());
      await this.#setup.faults.isWell;
    };
    const names = () => [...this.#active.values()].join(", ") || "the engine is ill";
    await waitFor(allOver(), () => `incidents to end: ${names()}`, HANG_MS);
  }
}
