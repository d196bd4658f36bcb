import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EVENT_KINDS } from "../contract/events.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import type { Sandbox } from "../sandbox/types.ts";
import { Barrier } from "./barrier.ts";
import { CaseRun } from "./case-run.ts";
import { type DrillCase, isOfProcess } from "./cases.ts";
import { freePort } from "./child.ts";
import { createDeliver } from "./deliver.ts";
import { type DrillGateway, startGateway } from "./gateway.ts";
import { findLeak, type Secret } from "./leaks.ts";
import { ALIVE, type Facts, FORGED, judgeOrder, SECRET } from "./promises.ts";
import {
  placesIn,
  type RequestTemplate,
  type ShopResponse,
  sendRequest,
} from "./request-template.ts";
import { Runs } from "./runs.ts";
import type { DrillSettings } from "./settings.ts";
import { ShopProcess } from "./shop-process.ts";

/** Longer than the service waits for the response to a delivery. */
const STOP_MS = 6_000;
/** How long a fault of the process waits for the slowest order of its wave. */
const MAX_HOLD_MS = 6_000;
const MAX_SETTLE_MS = 3_000;
const KILL_INTERVAL_MS = 700;
const POLL_MS = 50;
const ASK_TIMEOUT_MS = 10_000;
/** The life of a prompt, then the retry schedule of the deliveries. */
const CLOCK_STEPS = ["61s", "11s", "61s", "301s", "1801s", "7201s"] as const;

export interface BenchOptions {
  /** Whether planned faults happen. A drill that forgot them must fail. */
  readonly faults: boolean;
  readonly onOutput: (text: string) => void;
}

/** One shop, the service that it talks to, and its customers. */
export class Bench {
  readonly #runs = new Runs();
  readonly #settings: DrillSettings;
  readonly #options: BenchOptions;
  readonly #sandbox: Sandbox;
  readonly #folder: string = mkdtempSync(join(tmpdir(), "malipo-drill-"));
  #gateway: DrillGateway | undefined;
  #process: ShopProcess | undefined;
  #active: readonly CaseRun[] = [];
  #stopped: Promise<void> | undefined;
  /** Counts the beginnings and the ends of what stops the process: odd while it is stopped. */
  #disturbances = 0;

  constructor(settings: DrillSettings, options: BenchOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#sandbox = createSandbox({
      seed: crypto.randomUUID(),
      startAt: new Date(),
      auto: "none",
      deliver: createDeliver({
        runs: this.#runs,
        secret: () => this.#sandbox.webhookSecret,
        processFault: (run, step) => this.#processFault(run, step),
        disturbances: () => this.#disturbances,
        faults: options.faults,
      }),
    });
  }

  get #shop(): ShopProcess {
    if (this.#process === undefined) throw new Error("The bench is not open.");
    return this.#process;
  }

  /** @throws {Error} if the shop does not start. */
  async open(): Promise<void> {
    const { data, slowMs, webhook } = this.#settings;
    this.#gateway = await startGateway(
      this.#sandbox,
      this.#runs,
      (run, step) => this.#processFault(run, step),
      slowMs,
      this.#options.faults,
    );
    this.#process = new ShopProcess(this.#settings, await freePort(), {
      MALIPO_BASE_URL: this.#gateway.baseUrl,
      MALIPO_API_KEY: this.#sandbox.keys.secret,
      MALIPO_WEBHOOK_SECRET: this.#sandbox.webhookSecret,
      [data]: this.#folder,
    });
    this.#shop.onOutput = (text) => {
      this.#options.onOutput(text);
      this.#lookForLeaks(text, "printed");
    };
    this.#shop.onDeath = (how) => this.#died(how);
    await this.#shop.start();
    const registered = await this.#call("GET", "/webhooks");
    if ((registered as unknown[]).length > 0) return;
    const url = this.#shop.origin + webhook;
    await this.#call("POST", "/webhooks/register", { name: "drill", url, events: EVENT_KINDS });
  }

  async close(): Promise<void> {
    await this.#process?.close();
    await this.#gateway?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The end of what the shop printed. */
  get output(): string {
    return this.#process?.output.slice(-4_000) ?? "";
  }

  async #call(method: string, path: string, content?: object): Promise<unknown> {
    const response = await this.#sandbox.fetch(this.#sandbox.baseUrl + path, {
      method,
      headers: { "x-api-key": this.#sandbox.keys.sandbox, "content-type": "application/json" },
      ...(content && { body: JSON.stringify(content) }),
    });
    const { data } = (await response.json()) as { data: unknown };
    return data;
  }

  /** Runs cases side by side, until the shop had time to settle each of them. */
  async runWave(cases: readonly DrillCase[], kills = 0): Promise<readonly CaseRun[]> {
    // Time runs ahead in a wave, when prompts expire and deliveries are retried.
    this.#sandbox.restore({ ...this.#sandbox.snapshot(), now: Date.now() });
    const [first] = cases;
    const barrier =
      first !== undefined && isOfProcess(first) ? this.#barrier(first, cases.length) : undefined;
    const runs = cases.map((one) => new CaseRun(one, this.#sandbox, barrier));
    for (const run of runs) this.#runs.add(run);
    this.#active = runs;
    const placed = Promise.all(runs.map((run) => this.#place(run)));
    await this.#hold(runs, placed, barrier);
    await this.#killAgain(kills);
    await placed;
    await this.#settle(runs, MAX_SETTLE_MS);
    for (const run of runs) await run.atEnd?.();
    return runs;
  }

  /** Kills the shop some times while many orders are under way. */
  async #killAgain(kills: number): Promise<void> {
    for (let count = 0; count < kills; count++) {
      await sleep(KILL_INTERVAL_MS);
      this.#disturbances++;
      await this.#shop.kill().catch((error: Error) => this.#blameActive(error.message));
      this.#disturbances++;
    }
  }

  #barrier({ fault }: DrillCase, size: number): Barrier {
    const isKill = fault?.effect.kind === "kill";
    const isReleasedFirst =
      fault?.when === "after" ||
      (fault?.when === "middle" && fault.subject !== "start" && fault.subject !== "read");
    return new Barrier(size, isReleasedFirst, async () => {
      this.#disturbances++;
      if (isKill) await this.#shop.kill().catch((error: Error) => this.#blameActive(error.message));
      // What was held goes on to a process that does not read it yet.
      else this.#stopped = this.#shop.pause(STOP_MS);
    });
  }

  async #processFault(run: CaseRun, step?: Promise<void>): Promise<void> {
    const kind = run.case.fault?.effect.kind;
    const before = { ...this.#shop.counts };
    await run.barrier?.arrive(step);
    const happened = () => {
      const counts = this.#shop.counts;
      run.faultHappened ||= kind === "kill" ? counts.kill > before.kill : counts.stop > before.stop;
    };
    void run.barrier?.over.then(async () => {
      await this.#stopped;
      happened();
      run.note(
        "drill",
        kind === "kill"
          ? "killed the shop (kill -9) and started it again"
          : `stopped the shop for ${STOP_MS / 1_000} s`,
      );
    });
  }

  /** Waits until the fault of the process has happened, if the wave has one. */
  async #hold(
    runs: readonly CaseRun[],
    placed: Promise<unknown>,
    barrier: Barrier | undefined,
  ): Promise<void> {
    if (barrier === undefined) return;
    await Promise.race([
      placed,
      until(() => barrier.arrived === runs.length, this.#settings.slowMs),
    ]);
    await until(() => barrier.arrived === runs.length || this.#allAnswered(runs), MAX_HOLD_MS);
    if (barrier.arrived === 0) await this.#advance(runs, CLOCK_STEPS.slice(0, 1));
    await until(() => barrier.arrived === runs.length, MAX_HOLD_MS / 6);
    await barrier.flush();
    await this.#stopped;
    this.#stopped = undefined;
    // What was sent to the process before it ended still ends.
    await sleep(POLL_MS);
    this.#disturbances++;
  }

  #allAnswered(runs: readonly CaseRun[]): boolean {
    return runs.every((run) => run.ledger.length > 0 && !run.isAnswering);
  }

  /** Places an order, as the customer does: once or twice. */
  async #place(run: CaseRun): Promise<void> {
    const { order, orderId, doubleClick } = this.#settings;
    const click = async () => {
      const response = await this.#ask(run, order, this.#settings.slowMs + ASK_TIMEOUT_MS).catch(
        () => undefined,
      );
      if (response === undefined) {
        run.note("customer", "ordered, and got no response");
        return;
      }
      run.note("customer", `ordered: ${order.method} ${order.path} -> ${response.status}`);
      run.orderStatus = response.status;
      if (response.status >= 400) return;
      for (const place of orderId) run.id ??= place(response);
    };
    await Promise.all(doubleClick ? [click(), click()] : [click()]);
  }

  async #ask(
    run: CaseRun,
    request: RequestTemplate,
    timeoutMs = ASK_TIMEOUT_MS,
  ): Promise<ShopResponse> {
    const { phone, amount, order, id } = run;
    const values = { phone, amount, order, ...(id !== undefined && { id }) };
    const response = await sendRequest(
      this.#shop.origin,
      request,
      values,
      this.#settings.headers,
      timeoutMs,
    );
    this.#lookForLeaks(`${JSON.stringify([...response.headers])}${response.body}`, "answered");
    return response;
  }

  /** Lets time pass until the shop believes what is true, or for so long. */
  async #settle(runs: readonly CaseRun[], maxMs: number): Promise<boolean> {
    const deadline = performance.now() + maxMs;
    for (;;) {
      await until(() => runs.every((run) => !run.isAnswering), maxMs);
      await this.#advance(runs, CLOCK_STEPS);
      const open = await Promise.all(runs.map((run) => this.#isOpen(run)));
      if (!open.includes(true)) return true;
      if (performance.now() > deadline) return false;
      await sleep(POLL_MS);
    }
  }

  /** Moves the clock: ignored prompts expire, and deliveries are retried. */
  async #advance(
    runs: readonly CaseRun[],
    steps: readonly (typeof CLOCK_STEPS)[number][],
  ): Promise<void> {
    for (const step of steps) {
      const isPending =
        this.#sandbox.deliveries.all().some(({ state }) => state === "pending") ||
        runs.some((run) => run.ledger.some(({ reference }) => run.hasPrompt(reference)));
      if (!isPending) return;
      await until(() => runs.every((run) => !run.isAnswering), MAX_HOLD_MS);
      await this.#sandbox.clock.advance(step);
    }
  }

  async #isOpen(run: CaseRun): Promise<boolean> {
    const facts = await this.#facts(run);
    return facts.canAsk && judgeOrder(facts) !== undefined;
  }

  /** Whether the shop can be asked about an order: the status needs no id, or the shop gave one. */
  #canAsk(run: CaseRun): boolean {
    const places = placesIn(this.#settings.status);
    if (run.orderStatus !== undefined && run.orderStatus >= 400 && run.ledger.length === 0)
      return false;
    return run.id !== undefined || !places.includes("id");
  }

  async #facts(run: CaseRun): Promise<Facts> {
    const statuses = await Promise.all(
      run.ledger.map(({ reference }) => run.paymentStatus(reference)),
    );
    const payments = run.ledger.map(({ isRepeat }, index) => ({
      isRepeat,
      status: statuses[index] ?? "",
    }));
    let canAsk = this.#canAsk(run);
    if (canAsk) run.belief = await this.#believes(run);
    // An order that died with the shop before it was taken: the customer has no response, and no prompt.
    if (run.orderStatus === undefined && run.ledger.length === 0) {
      canAsk &&= !run.belief.startsWith("404");
    }
    run.effects = await this.#effects(run);
    return { payments, belief: run.belief, canAsk, effects: run.effects };
  }

  async #believes(run: CaseRun): Promise<string> {
    const { status, checks } = this.#settings;
    const response = await this.#ask(run, status).catch((error: Error) => error);
    if (response instanceof Error) return `nothing (${response.message})`;
    for (const name of ["paid", "failed", "open"] as const) {
      if (response.status < 400 && checks[name](response)) {
        run.wasRead = true;
        return name;
      }
    }
    return response.status >= 400
      ? `${response.status} when it is asked for the order`
      : "something that is neither paid, failed nor open";
  }

  async #effects(run: CaseRun): Promise<number | undefined> {
    const { effects } = this.#settings;
    if (effects === undefined) return undefined;
    if ("file" in effects) {
      const file = resolve(this.#folder, effects.file);
      const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
      return lines.filter((line) => line.includes(run.id ?? run.order)).length;
    }
    if (run.id === undefined && placesIn(effects.request).includes("id")) return undefined;
    const response = await this.#ask(run, effects.request).catch(() => undefined);
    return response && effects.count(response);
  }

  /** What a day would bring: time for the shop's timers, a restart, the nightly job. Then judges. */
  async end(): Promise<readonly CaseRun[]> {
    const { quietMs, nightly } = this.#settings;
    const { all } = this.#runs;
    this.#active = [];
    const isSettled = await this.#settle(all, quietMs);
    await this.#shop.restart().catch((error: Error) => this.#blame(all, error.message));
    const wait = isSettled ? MAX_SETTLE_MS : quietMs;
    if (nightly !== undefined) {
      await sendRequest(this.#shop.origin, nightly, {}, this.#settings.headers, 60_000).catch(
        () => {},
      );
    }
    await this.#settle(all, wait);
    for (const run of all) {
      const broken = judgeOrder(await this.#facts(run));
      // What a forged event has done is not broken a second time.
      if (broken !== undefined && !run.problems.has(FORGED)) run.blame(...broken);
      run.note(
        "shop",
        `says ${run.belief}${run.effects === undefined ? "" : `, shipped ${run.effects} times`}`,
      );
    }
    return all;
  }

  #lookForLeaks(text: string, how: string): void {
    const { keys, webhookSecret } = this.#sandbox;
    const secrets: Secret[] = [
      { name: "the API key", text: keys.secret },
      { name: "the webhook secret", text: webhookSecret },
      ...this.#runs.all.map(({ number }) => ({
        name: "a full phone number",
        text: number.slice(3),
      })),
    ];
    const leak = findLeak(text, secrets);
    if (leak === undefined) return;
    const run = this.#runs.inText(text) ?? this.#active[0] ?? this.#runs.all.at(-1);
    run?.blame(SECRET, `the shop ${how} ${leak.name}`);
  }

  #died(how: string): void {
    this.#blameActive(`the shop ended by itself: ${how}`);
    void this.#shop.start().catch((error: Error) => this.#blameActive(error.message));
  }

  #blameActive(what: string): void {
    this.#blame(this.#active.length > 0 ? this.#active : this.#runs.all, what);
  }

  #blame(runs: readonly CaseRun[], what: string): void {
    runs[0]?.blame(ALIVE, what);
  }
}

/** Waits until something is so, at most for a time. */
async function until(isSo: () => boolean, maxMs: number): Promise<void> {
  const deadline = performance.now() + maxMs;
  while (!isSo() && performance.now() < deadline) await sleep(POLL_MS / 5);
}
