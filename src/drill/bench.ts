import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Gateway } from "../client/gateway.ts";
import { EVENT_KINDS } from "../contract/events.ts";
import { base64Forms } from "../internal/secret-pattern.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import type { Sandbox } from "../sandbox/types.ts";
import { type CaseRun, findRun, type Scene } from "./case-run.ts";
import { createDeliver } from "./deliver.ts";
import { serveGateway } from "./gateway.ts";
import { ALIVE, SECRET } from "./promises.ts";
import type { DrillSettings } from "./settings.ts";
import { createCustomers } from "./shop-client.ts";
import { ShopProcess } from "./shop-process.ts";

const MAX_OUTPUT = 4_000;

/** Whether a text has a secret in clear, in base64, or URL-encoded. */
const holds = (text: string, secret: string) =>
  [secret, encodeURIComponent(secret), ...base64Forms(secret)].some((form) => text.includes(form));

/** One shop, the service that it talks to, and its customers. */
export class Bench implements Scene {
  readonly settings: DrillSettings;
  readonly hasFaults: boolean;
  readonly runs: CaseRun[] = [];
  readonly sandbox: Sandbox = createSandbox({
    seed: crypto.randomUUID(),
    startAt: new Date(),
    auto: "none",
    deliver: createDeliver(this),
  });
  readonly client: Gateway;
  readonly shop: ShopProcess;
  readonly customers: ReturnType<typeof createCustomers>;
  /** The orders that are under way. */
  active: readonly CaseRun[] = [];
  /** The end of what the shop printed. */
  output = "";
  readonly #folder = mkdtempSync(join(tmpdir(), "malipo-drill-"));
  #closeGateway = () => {};

  constructor(settings: DrillSettings, hasFaults: boolean, onOutput: (text: string) => void) {
    this.hasFaults = hasFaults;
    this.settings = settings;
    const { baseUrl, fetch, keys } = this.sandbox;
    this.client = new Gateway({ apiKey: keys.sandbox, baseUrl, fetch });
    this.shop = new ShopProcess(settings, {
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
    this.customers = createCustomers(settings, this.shop, this.#folder, (text) =>
      this.#findLeak(text, "answered"),
    );
  }

  /** @throws {Error} if the shop does not start. */
  async open(): Promise<void> {
    const { sandbox, shop } = this;
    const { data, webhook } = this.settings;
    const { baseUrl, close } = await serveGateway(this);
    this.#closeGateway = close;
    shop.env = {
      MALIPO_BASE_URL: baseUrl,
      MALIPO_API_KEY: sandbox.keys.secret,
      MALIPO_WEBHOOK_SECRET: sandbox.webhookSecret,
      [data]: this.#folder,
    };
    await shop.start();
    const { webhooks } = this.client;
    if ((await webhooks.list()).items.length > 0) return;
    const url = shop.origin + webhook;
    await webhooks.register({ name: "drill", url, events: [...EVENT_KINDS] });
  }

  async close(): Promise<void> {
    await this.shop.close();
    this.#closeGateway();
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
    const secrets: readonly (readonly [name: string, secret: string])[] = [
      ["the API key", keys.secret],
      ["the webhook secret", webhookSecret],
      ...this.runs.map(({ phone }) => ["a full phone number", phone.slice(1)] as const),
    ];
    const [leak] = secrets.find(([, secret]) => holds(text, secret)) ?? [];
    const run = findRun(this.runs, text) ?? this.active[0];
    if (leak !== undefined) run?.blame(SECRET, `the shop ${how} ${leak}`);
  }
}
