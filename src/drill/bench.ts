import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Gateway } from "../client/gateway.ts";
import { EVENT_KINDS } from "../contract/events.ts";
import { base64Forms } from "../internal/secret-pattern.ts";
import { createSandbox } from "../sandbox/create-sandbox.ts";
import type { Sandbox } from "../sandbox/sandbox-types.ts";
import { type CaseRun, findRun, type Scene } from "./case-run.ts";
import { createDeliver } from "./deliver.ts";
import { serveGateway } from "./drill-gateway.ts";
import type { DrillSettings } from "./drill-settings.ts";
import { MAX_SERVICE_MS, pace } from "./machine-pace.ts";
import { ALIVE, SECRET } from "./promises.ts";
import { Customers } from "./shop-client.ts";
import { ShopProcess } from "./shop-process.ts";

const MAX_OUTPUT = 4_000;
/** A shop that prints more is read no further. */
const MAX_PRINTED = 64_000_000;
/** A secret may begin in one piece of the output and end in the next. */
const MAX_SECRET = 200;
/** How long after the slowest request a payment is in the list for certain. */
const LISTED_MS = 5_000;
/** Between two looks of a customer: all of them together must not slow the shop down. */
const LOOK_INTERVAL_MS = 20;
const LOOK_INTERVAL_PER_ORDER_MS = 4;
/** An order of which nothing was heard for a while is looked at less often. */
const NEWS_MS = 2_000;
const MAX_LOOK_INTERVAL_MS = 250;

/** The forms of a secret: in clear, in base64, or URL-encoded. */
const formsOf = (secret: string) => [secret, encodeURIComponent(secret), ...base64Forms(secret)];

/** The folders of shops that run. A signal may end this process before it could remove them. */
const folders = new Set<string>();
process.on("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** One shop, the service that it talks to, and its customers. */
export class Bench implements Scene {
  readonly settings: DrillSettings;
  readonly hasFaults: boolean;
  readonly runs: CaseRun[] = [];
  readonly sandbox: Sandbox;
  readonly client: Gateway;
  readonly shops: readonly ShopProcess[];
  /** The process to which faults happen. */
  readonly shop: ShopProcess;
  readonly customers: Customers;
  awayUntil = 0;
  sharesData = false;
  /** Whether its day ends: no fault happens any more. */
  isEnding = false;
  /** What it waits for now, for people who wait with it. */
  waitsFor = "the start of the shop";
  #active: readonly CaseRun[] = [];
  /** The end of what the shop printed. */
  output = "";
  printed = 0;
  /** Why the shop is down for good, if it is: nothing more can be found out about its orders. */
  down: string | undefined;
  readonly #folder = mkdtempSync(join(tmpdir(), "malipo-drill-"));
  readonly #forms = new Map<string, readonly string[]>();
  #isClosed = false;
  #closeGateway = () => {};
  #stopPace = () => {};

  constructor(settings: DrillSettings, hasFaults: boolean, onOutput: (text: string) => void) {
    this.hasFaults = hasFaults;
    this.settings = settings;
    this.sandbox = createSandbox({
      ...{ country: settings.country, seed: crypto.randomUUID(), startAt: new Date() },
      ...{ auto: "none", deliver: createDeliver(this) },
    });
    const { baseUrl, fetch, keys } = this.sandbox;
    this.client = new Gateway({ apiKey: keys.sandbox, baseUrl, fetch });
    this.shops = Array.from({ length: settings.processes }, () => {
      const shop: ShopProcess = new ShopProcess(settings, {
        onOutput: (text) => this.#print(text, onOutput),
        onDeath: (how) => {
          this.#blame(`the shop ended by itself: ${how}`);
          void this.survive(shop.start());
        },
      });
      return shop;
    });
    this.shop = this.shops[0] as ShopProcess;
    this.customers = new Customers(this, this.#folder, (text) => this.#findLeak(text, "answered"));
    folders.add(this.#folder);
  }

  /** @throws {Error} if the shop does not start. */
  async open(): Promise<void> {
    const { sandbox, shops } = this;
    const { data, slowMs, webhook } = this.settings;
    this.#stopPace = pace.start();
    const { baseUrl, close } = await serveGateway(this);
    this.#closeGateway = close;
    for (const shop of shops) {
      shop.env = {
        MALIPO_BASE_URL: baseUrl,
        MALIPO_API_KEY: sandbox.keys.secret,
        MALIPO_WEBHOOK_SECRET: sandbox.webhookSecret,
        [data]: this.#folder,
        // Its sandbox lists a payment at once, and a day of a drill is short. What is slow comes later than that.
        MALIPO_NOT_SENT_AFTER_MS: String(slowMs + LISTED_MS),
      };
      await shop.start();
    }
    const { webhooks } = this.client;
    if ((await webhooks.list()).items.length > 0) return;
    const url = this.shop.origin + webhook;
    await webhooks.register({ name: "drill", url, events: [...EVENT_KINDS] });
  }

  /** The orders that are under way. Their customers look at them all the time. */
  get active(): readonly CaseRun[] {
    return this.#active;
  }

  set active(runs: readonly CaseRun[]) {
    this.#active = runs;
    for (const run of runs) void this.#watch(run, runs);
  }

  /** A customer looks at the own order until others are under way: a look that hangs holds no other one. */
  async #watch(run: CaseRun, runs: readonly CaseRun[]): Promise<void> {
    const often = Math.max(LOOK_INTERVAL_MS, runs.length * LOOK_INTERVAL_PER_ORDER_MS);
    const seldom = Math.max(often, MAX_LOOK_INTERVAL_MS);
    while (this.#active === runs && !this.#isClosed) {
      // A look that fails is not news: the shop may be down.
      await this.customers.watch(run).catch(() => {});
      const began = performance.now();
      const interval = run.silentMs > NEWS_MS ? seldom : often;
      await sleep(pace.scale(interval));
      // A request that waits for a busy process is not seen yet: only a late timer shows it.
      const lateMs = performance.now() - began - pace.scale(interval);
      if (lateMs > MAX_SERVICE_MS) {
        run.wasDelayed(`the drill itself could not run for ${(lateMs / 1_000).toFixed(1)} s`);
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopPace();
    await Promise.all(this.shops.map((shop) => shop.destroy()));
    this.#closeGateway();
    rmSync(this.#folder, { recursive: true, force: true });
    folders.delete(this.#folder);
  }

  /** Waits for a restart. An order is blamed if the shop does not come back. */
  async survive(restart: Promise<void>): Promise<void> {
    await restart.catch((error: Error) => {
      if (this.#isClosed) return;
      this.down = error.message;
      this.#blame(error.message);
    });
  }

  #blame(what: string): void {
    this.active[0]?.blame(ALIVE, what);
  }

  #print(text: string, onOutput: (text: string) => void): void {
    this.printed += text.length;
    if (this.printed > MAX_PRINTED) return;
    this.#findLeak(this.output.slice(-MAX_SECRET) + text, "printed");
    this.output = (this.output + text).slice(-MAX_OUTPUT);
    onOutput(text);
  }

  /** Whether the shop printed more than is read. */
  get hasPrintedTooMuch(): boolean {
    return this.printed > MAX_PRINTED;
  }

  #findLeak(text: string, how: string): void {
    const { keys, webhookSecret } = this.sandbox;
    const secrets: readonly (readonly [name: string, secret: string])[] = [
      ["the API key", keys.secret],
      ["the webhook secret", webhookSecret],
      ...this.runs.map(({ phone }) => ["a full phone number", phone.slice(1)] as const),
    ];
    const [leak] = secrets.find(([, secret]) => this.#holds(text, secret)) ?? [];
    const run = findRun(this.runs, text) ?? this.active[0];
    if (leak !== undefined) run?.blame(SECRET, `the shop ${how} ${leak}`);
  }

  #holds(text: string, secret: string): boolean {
    const forms = this.#forms.get(secret) ?? formsOf(secret);
    this.#forms.set(secret, forms);
    return forms.some((form) => text.includes(form));
  }
}
