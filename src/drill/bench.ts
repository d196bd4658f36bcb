import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Gateway } from "../client/gateway.ts";
import { EVENT_KINDS } from "../contract/events.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import type { Sandbox } from "../sandbox/types.ts";
import { type CaseRun, Runs } from "./case-run.ts";
import { createDeliver } from "./deliver.ts";
import { DrillGateway } from "./gateway.ts";
import { findLeak } from "./leaks.ts";
import { ALIVE, SECRET } from "./promises.ts";
import type { DrillSettings } from "./settings.ts";
import { ShopClient } from "./shop-client.ts";
import { ShopProcess } from "./shop-process.ts";

const MAX_OUTPUT = 4_000;

interface BenchOptions {
  /** Whether planned faults happen. A drill that forgot them must fail. */
  readonly hasFaults: boolean;
  readonly onOutput: (text: string) => void;
}

/** One shop, the service that it talks to, and its customers. */
export class Bench {
  readonly hasFaults: boolean;
  readonly runs = new Runs();
  readonly sandbox: Sandbox;
  readonly client: Gateway;
  readonly shop: ShopProcess;
  readonly customers: ShopClient;
  /** The orders that are under way. */
  active: readonly CaseRun[] = [];
  /** The end of what the shop printed. */
  output = "";
  readonly #webhook: string;
  readonly #gateway: DrillGateway;
  readonly #folder: string = mkdtempSync(join(tmpdir(), "malipo-drill-"));

  constructor(settings: DrillSettings, { hasFaults, onOutput }: BenchOptions) {
    this.hasFaults = hasFaults;
    this.#webhook = settings.webhook;
    const deliver = createDeliver({
      runs: this.runs,
      secret: () => this.sandbox.webhookSecret,
      wasUpSince: (time) => this.shop.wasUpSince(time),
    });
    const seed = crypto.randomUUID();
    this.sandbox = createSandbox({ seed, startAt: new Date(), auto: "none", deliver });
    const { baseUrl, fetch, keys, webhookSecret } = this.sandbox;
    this.client = new Gateway({ apiKey: keys.sandbox, baseUrl, fetch });
    this.#gateway = new DrillGateway(this.sandbox, this.runs, settings.slowMs);
    this.shop = new ShopProcess(settings, {
      env: () => ({
        MALIPO_BASE_URL: this.#gateway.baseUrl,
        MALIPO_API_KEY: keys.secret,
        MALIPO_WEBHOOK_SECRET: webhookSecret,
        [settings.data]: this.#folder,
      }),
      onOutput: (text) => {
        this.output = (this.output + text).slice(-MAX_OUTPUT);
        onOutput(text);
        this.#findLeak(text, "printed");
      },
      onDeath: (how) => {
        this.#blame(`the shop ended by itself: ${how}`);
        void this.survive(this.shop.start());
      },
    });
    this.customers = new ShopClient(settings, {
      shop: this.shop,
      folder: this.#folder,
      onResponse: (text) => this.#findLeak(text, "answered"),
    });
  }

  /** @throws {Error} if the shop does not start. */
  async open(): Promise<void> {
    await this.#gateway.listen();
    await this.shop.start();
    const { webhooks } = this.client;
    if ((await webhooks.list()).items.length > 0) return;
    const url = this.shop.origin + this.#webhook;
    await webhooks.register({ name: "drill", url, events: [...EVENT_KINDS] });
  }

  async close(): Promise<void> {
    await this.shop.close();
    this.#gateway.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Waits for a restart. An order is blamed if the shop does not come back. */
  async survive(restart: Promise<void>): Promise<void> {
    await restart.catch((error: Error) => this.#blame(error.message));
  }

  #blame(what: string): void {
    this.active[0]?.blame(ALIVE, what);
  }

  #findLeak(text: string, how: string): void {
    const { keys, webhookSecret } = this.sandbox;
    const leak = findLeak(text, [
      ["the API key", keys.secret],
      ["the webhook secret", webhookSecret],
      ...this.runs.all.map(({ phone }) => ["a full phone number", phone.slice(1)] as const),
    ]);
    const run = this.runs.inText(text) ?? this.active[0];
    if (leak !== undefined) run?.blame(SECRET, `the shop ${how} ${leak}`);
  }
}
