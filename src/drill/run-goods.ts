// The drill of a merchant's `onPaid`: orders are paid, a fault happens to the first try, and the goods are counted.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Gateway } from "../client/gateway.ts";
import type { CountryCode } from "../contract/countries.ts";
import { EVENT_KINDS } from "../contract/events.ts";
import { describeError } from "../internal/describe-error.ts";
import { withoutCommands } from "../internal/visible.ts";
import { createSandbox } from "../sandbox/create-sandbox.ts";
import type { CaseResult, StoryLine } from "./case-run.ts";
import type { Untried } from "./drill-options.ts";
import {
  GOODS_PROMISES,
  type GoodsCase,
  type GoodsEnd,
  type GoodsTraits,
  goodsCases,
  whyNoFault,
} from "./goods-cases.ts";
import { GOODS_PREFIX, type GoodsDelivery } from "./goods-child.ts";
import { GoodsProcess } from "./goods-process.ts";
import { type DrillListener, type DrillResult, quoteOutput } from "./run-drill.ts";

/** How long the goods of an order may take if nothing waits for the end of a try. */
const MAX_TRY_MS = 15_000;
/** After a try whose process has ended, the next one begins after 90 s. */
const LEASE_MS = 150_000;
/** How long after "done" the goods may come. */
const LATE_GOODS_MS = 1_500;
const POLL_MS = 50;
/** The next try of an order whose process has ended is more than a minute away: it is looked for less often. */
const POLL_AT_END_MS = 500;
/** How much of what the processes print is kept. */
const MAX_OUTPUT = 2_000;
const URL = "https://drill.invalid/webhooks";

export interface GoodsOptions {
  /** The path of the merchant's module. */
  readonly path: string;
  /** How it was given, for commands. */
  readonly given: string;
  readonly country: string;
  /** How phone numbers begin. Six digits follow. */
  readonly phones: string;
  /** The numbers of the cases that are asked for. */
  readonly isChosen: (number: number) => boolean;
  /** What is not tried, on purpose. */
  readonly without: readonly Untried[];
  readonly signal: AbortSignal;
  readonly listener: DrillListener;
}

/** An order of a case, with what is known about it. */
class GoodsRun implements CaseResult {
  readonly case: GoodsCase;
  readonly ids: readonly string[];
  readonly problems = new Map<string, string>();
  readonly story: StoryLine[] = [];
  hasHappened: boolean;
  skipped: string | undefined;
  readonly #startedAt = performance.now();

  constructor(one: GoodsCase, run: string) {
    this.case = one;
    const orders = one.kind === "threeOrders" ? 3 : 1;
    this.ids = Array.from(
      { length: orders },
      (_, at) => `${GOODS_PREFIX}${run}-${one.number}-${at}`,
    );
    this.hasHappened = ["none", "threeOrders", "twoProcesses", "twice"].includes(one.kind);
  }

  note(who: StoryLine["who"], text: string): void {
    const atMs = performance.now() - this.#startedAt;
    this.story.push({ atMs, who, text: withoutCommands(text) });
  }

  judge(end: GoodsEnd): void {
    this.note("drill", `found the goods ${end.goods} times; the order says ${end.effect}`);
    for (const { name, describe } of GOODS_PROMISES) {
      const what = describe(end);
      if (what && !this.problems.has(name)) this.problems.set(name, what);
    }
  }
}

const hasEnded = ({ effect, reviews }: GoodsEnd) =>
  effect !== "due" && effect !== "none" ? true : reviews.length > 0;

/** Rehearses an `onPaid`. Never rejects for what it does. */
export async function runGoods(options: GoodsOptions): Promise<DrillResult> {
  const started = performance.now();
  const drill = new GoodsDrill(options);
  const obstacles: string[] = [];
  try {
    await drill.run();
  } catch (error) {
    obstacles.push(withoutCommands(`${describeError(error)}.`.replace(/\.\.$/, ".")));
    const printed = drill.output.trimEnd();
    if (printed !== "") obstacles.push(`The module printed:\n${quoteOutput(printed)}`);
  } finally {
    await drill.close();
  }
  if (options.signal.aborted) obstacles.push("The drill was interrupted.");
  const missed = drill.runs.filter((run) => !run.hasHappened && run.skipped === undefined);
  for (const run of missed) run.skipped = "its fault never happened";
  if (missed.length > 0 && obstacles.length === 0) {
    const numbers = missed.map((run) => run.case.number).join(", ");
    obstacles.push(`The faults of these cases never happened: ${numbers}.`);
  }
  return {
    ...{ results: drill.runs, obstacles, elapsedMs: performance.now() - started },
    ...{ hasEffects: true, seed: "", goods: options.given, without: options.without },
  };
}

class GoodsDrill {
  readonly runs: GoodsRun[] = [];
  output = "";
  readonly #options: GoodsOptions;
  readonly #id = crypto.randomUUID().slice(0, 8);
  readonly #folder = mkdtempSync(join(tmpdir(), "malipo-drill-"));
  readonly #sandbox;
  readonly #processes: GoodsProcess[] = [];
  #closeService = async () => {};
  #baseUrl = "";
  /** The processes that get webhooks. */
  #receivers: readonly GoodsProcess[] = [];
  #last: GoodsDelivery | undefined;
  #phones = 100_000 + Math.floor(Math.random() * 500_000);
  #waitsFor = "the module";

  constructor(options: GoodsOptions) {
    this.#options = options;
    this.#sandbox = createSandbox({
      ...{ country: options.country as CountryCode, seed: crypto.randomUUID() },
      ...{ clock: "real", auto: "none", deliver: (request) => this.#deliver(request) },
    });
  }

  async run(): Promise<void> {
    const service = await this.#sandbox.serve({ port: 0 });
    this.#closeService = () => service.close();
    this.#baseUrl = service.baseUrl;
    const gateway = { apiKey: this.#sandbox.keys.sandbox, baseUrl: service.baseUrl };
    await new Gateway(gateway).webhooks.register({
      name: "drill",
      url: URL,
      events: [...EVENT_KINDS],
    });
    const reader = await this.#start();
    const first = goodsCases(1)[0] as GoodsCase;
    const traits = await this.#rehearse(first, reader);
    const cases = goodsCases(traits.statements).filter(
      (one) => one.number > 1 && this.#options.isChosen(one.number),
    );
    for (const one of cases) {
      if (this.#options.signal.aborted) return;
      this.#progress(cases.length + 1, `case ${one.number}`);
      const run = this.#add(one);
      const why = whyNoFault(one.needs, traits);
      if (why !== undefined) run.skipped = why;
      else await this.#runCase(run, reader);
    }
    await this.#finish(reader);
  }

  #add(one: GoodsCase): GoodsRun {
    const run = new GoodsRun(one, this.#id);
    this.runs.push(run);
    return run;
  }

  /** @throws {Error} for an order that nothing disturbs and that onPaid gives no goods for, or refuses. */
  async #rehearse(one: GoodsCase, reader: GoodsProcess): Promise<GoodsTraits> {
    const run = this.#add(one);
    const shop = await this.#runCase(run, reader);
    const traits = await shop.ask("traits");
    // It would give the goods of the next cases.
    await shop.kill();
    const end = await this.#look(run, reader);
    const failed = run.story.findLast(({ who }) => who === "shop")?.text ?? "";
    if (end.effect === "refused")
      throw new Error("onPaid refused the order: export an `order` that it accepts");
    if (traits !== undefined && hasEnded(end)) return traits;
    throw new Error(`onPaid gave no goods, although nothing had gone wrong. ${failed}`);
  }

  /** Pays the orders of a case, and waits until they have ended or their process has. */
  async #runCase(run: GoodsRun, reader: GoodsProcess): Promise<GoodsProcess> {
    const { kind } = run.case;
    const shops = [await this.#start(run)];
    if (kind === "twoProcesses") shops.push(await this.#start(run));
    const [shop = reader] = shops;
    this.#receivers = shops;
    await shop.ask("plan", run.ids, run.case);
    for (const one of shops) await one.ask("start");
    const phones = run.ids.map(() => `${this.#options.phones}${this.#phones++}`);
    for (const [at, id] of run.ids.entries()) {
      const said = await shop.ask("pay", { id, phone: phones[at] ?? "" });
      if (!said.startsWith("pending")) throw new Error(`The order was not asked: ${said}`);
    }
    for (const phone of phones) this.#sandbox.phone(phone).approve();
    run.note("customer", `pays ${run.ids.length === 1 ? "the order" : "the orders"}`);
    run.note("drill", run.case.text);
    await this.#waitForEnd(run, reader, () => shop.isAlive, [MAX_TRY_MS, POLL_MS]);
    if (kind === "twice" && this.#last !== undefined) await shop.ask("deliver", this.#last);
    if (kind.startsWith("kill")) {
      await Promise.race([shop.ended(), sleep(MAX_TRY_MS, undefined, { ref: false })]);
      run.hasHappened = shop.wasKilled;
    }
    // Goods that nothing waits for come after "done".
    if (shop.isAlive) await this.#comeLate(run, reader);
    this.#receivers = [];
    if (kind === "none") return shop;
    for (const one of shops) if (!one.isStopped) await one.kill();
    return shop;
  }

  async #comeLate(run: GoodsRun, reader: GoodsProcess): Promise<void> {
    const end = performance.now() + LATE_GOODS_MS;
    while (performance.now() < end) {
      const { goods, effect } = await this.#look(run, reader);
      if (goods > 0 && effect === "done") return;
      await sleep(POLL_MS);
    }
  }

  /** Waits until each order of a case has ended, at most for a time. Resolves with whether they have. */
  async #waitForEnd(
    run: GoodsRun,
    reader: GoodsProcess,
    goesOn: () => boolean,
    [limitMs, pollMs]: readonly [limitMs: number, pollMs: number],
  ): Promise<boolean> {
    const end = performance.now() + limitMs;
    while (performance.now() < end && goesOn() && !this.#options.signal.aborted) {
      const looks = await Promise.all(run.ids.map((id) => reader.ask("look", id)));
      if (looks.every(hasEnded)) return true;
      await sleep(pollMs);
    }
    return false;
  }

  #look = (run: GoodsRun, reader: GoodsProcess): Promise<GoodsEnd> =>
    reader.ask("look", run.ids[0] ?? "");

  /** Another process gives the goods of those that have ended or stopped; then all orders are judged. */
  async #finish(reader: GoodsProcess): Promise<void> {
    const open = this.runs.filter(({ skipped }) => skipped === undefined);
    this.#progress(
      this.runs.length,
      "the next try of orders whose process has ended: it comes after 90 s",
    );
    this.#receivers = [reader];
    await reader.ask("start");
    const limits = [LEASE_MS, POLL_AT_END_MS] as const;
    await Promise.all(open.map((run) => this.#waitForEnd(run, reader, () => true, limits)));
    const stopped = this.#processes.filter(({ isStopped }) => isStopped);
    for (const one of stopped) one.goOn();
    // It goes on where it stopped: its goods must not come a second time.
    if (stopped.length > 0) await sleep(LATE_GOODS_MS);
    for (const run of open) {
      for (const id of run.ids) run.judge(await reader.ask("look", id));
    }
  }

  /** A process with the module. @param run - The case whose story tells what goes wrong in it. */
  async #start(run?: GoodsRun): Promise<GoodsProcess> {
    const { path, country, listener } = this.#options;
    const { keys, webhookSecret: secret } = this.#sandbox;
    const setup = { baseUrl: this.#baseUrl, apiKey: keys.secret, secret, country };
    const env = {
      MALIPO_BASE_URL: setup.baseUrl,
      MALIPO_API_KEY: setup.apiKey,
      MALIPO_WEBHOOK_SECRET: secret,
      DATA: this.#folder,
    };
    const started: GoodsProcess = new GoodsProcess(path, env, {
      happened: () => {
        if (run === undefined) return;
        run.hasHappened = true;
        started.isStopped = run.case.kind === "stop";
      },
      failed: (text) => run?.note("shop", text),
      output: (text) => {
        this.output = (this.output + text).slice(-MAX_OUTPUT);
        listener.output(text);
      },
    });
    this.#processes.push(started);
    const { foreign } = await started.ask("open", setup);
    if (foreign === undefined) return started;
    throw new Error(
      `The store has an order that no drill has made (${foreign}). Give the drill a database for tests: it would look for your orders in its sandbox`,
    );
  }

  async #deliver(request: Request): Promise<Response> {
    const headers = Object.fromEntries(request.headers);
    const delivery = { method: request.method, headers, body: await request.text() };
    this.#last = delivery;
    const alive = this.#receivers.filter(({ isAlive }) => isAlive);
    const replies = alive.map((one) => one.ask("deliver", delivery));
    const reply = await Promise.all(replies).then(
      ([first]) => first,
      () => undefined,
    );
    return new Response(reply?.body ?? "", { status: reply?.status ?? 503 });
  }

  #progress(total: number, waitsFor: string): void {
    this.#waitsFor = waitsFor;
    this.#options.listener.progress(this.runs.length, total, () => this.#waitsFor);
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.kill()));
    await this.#closeService();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
