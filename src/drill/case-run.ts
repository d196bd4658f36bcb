import { setTimeout as sleep } from "node:timers/promises";
import type { Gateway } from "../client/gateway.ts";
import type { Sandbox } from "../sandbox/types.ts";
import type { DrillCase, Fault, Subject } from "./cases.ts";
import type { DrillSettings } from "./settings.ts";
import type { ShopProcess } from "./shop-process.ts";

/** One line of a story. */
export interface StoryLine {
  /** Milliseconds since the order. */
  readonly atMs: number;
  readonly who: "customer" | "shop" | "service" | "drill";
  readonly text: string;
}

/** A shop, the service that it talks to, and the orders of its customers. */
export interface Scene {
  readonly settings: DrillSettings;
  readonly sandbox: Sandbox;
  readonly client: Gateway;
  readonly shop: ShopProcess;
  readonly runs: readonly CaseRun[];
  /** Whether planned faults happen. A drill that forgot them must fail. */
  readonly hasFaults: boolean;
}

/** How long a customer takes to answer a prompt. */
const ANSWER_MS = 250;
/** How long the customer of a case about reads waits for the shop to read. */
const MAX_READ_MS = 5_000;

let nextPhone = 100_000;

/** One order, from its click to its end, with everything that is known about it. */
export class CaseRun {
  readonly case: DrillCase;
  /** 0712..., as a customer types it. */
  readonly phone: string;
  /** The value of `{order}`. */
  readonly order: string;
  readonly amount: number;
  readonly story: StoryLine[] = [];
  /** `isRepeat`: an earlier payment was pending or paid when the service made this one. */
  readonly payments: { reference: string; status: string; isRepeat: boolean }[] = [];
  /** What the shop returned for the order, if it did. */
  orderStatus: number | undefined;
  id: string | undefined;
  /** Whether the planned fault has happened, if there is one. */
  isTested: boolean;
  /** What is wrong, by the name of the promise. */
  readonly problems = new Map<string, string>();
  readonly seen = new Set<Subject>();
  /** Events of these kinds never reach the shop. */
  readonly lost = new Set<string>();
  /** Sends what comes after all other deliveries of the wave. */
  atEnd: (() => Promise<unknown>) | undefined;
  /** What the shop shows: `paid`, `failed`, `open`, or a text that is none of them. */
  shown = "not asked";
  /** Whether the drill could ever read what the shop shows. */
  wasRead = false;
  /** Whether the shop could be asked: it gave the order an id. */
  canAsk = false;
  /** How often the customer got what was ordered. */
  effects: number | undefined;
  /** It waits for a fault of the process, which comes when `step` resolves. */
  held: { readonly step: Promise<unknown> | undefined } | undefined;
  #answers = 0;
  readonly #scene: Scene;
  /** Resolves when what waits for a fault of the process goes on. */
  readonly #released: Promise<void>;
  readonly #startedAt = performance.now();

  constructor(one: DrillCase, scene: Scene, released: Promise<void>) {
    const id = nextPhone++;
    this.case = one;
    this.isTested = one.fault === undefined;
    this.#scene = scene;
    this.#released = released;
    this.phone = `0712${id}`;
    this.order = id.toString(16).toUpperCase().padStart(12, "D");
    this.amount = 100 + (id % 900);
  }

  note(who: StoryLine["who"], text: string): void {
    this.story.push({ atMs: performance.now() - this.#startedAt, who, text });
  }

  /** Records what is wrong; the first finding about a promise stays. */
  blame(promise: string, what: string): void {
    if (!this.problems.has(promise)) this.problems.set(promise, what);
  }

  /** Returns the fault of the case if it is for this request or delivery: the first of its kind. */
  begin(subject: Subject): Fault | undefined {
    const isFirst = !this.seen.has(subject);
    this.seen.add(subject);
    const { fault } = this.case;
    const isDue = isFirst && this.#scene.hasFaults && fault?.subject === subject;
    return isDue ? fault : undefined;
  }

  /** Records that the planned fault happens now. */
  happen(): void {
    this.isTested = true;
    this.note("drill", this.case.fault?.text ?? "");
  }

  /**
   * Waits for the fault of the process, together with the other cases of the wave.
   *
   * @param step - If the fault comes after what was held: resolves when that moment is reached.
   */
  async disturb(step?: Promise<unknown>): Promise<void> {
    this.held = { step };
    await this.#released;
  }

  hasPrompt(reference: string): boolean {
    return this.#scene.sandbox.phone(this.phone).prompt?.reference === reference;
  }

  /** Whether a payment of the order waits for the customer. */
  get isPrompted(): boolean {
    return this.payments.some(({ reference }) => this.hasPrompt(reference));
  }

  /** Whether the customer is about to answer. */
  get isAnswering(): boolean {
    return this.#answers > 0;
  }

  /** Asks the service for the status of each payment. */
  async updatePayments(): Promise<void> {
    await Promise.all(
      this.payments.map(async (one) => {
        one.status = String((await this.#scene.client.payments.get(one.reference)).status);
      }),
    );
  }

  /** The service has made a payment: the customer answers, at once or soon. */
  prompted(reference: string): void {
    const isRepeat = this.payments.some(({ status }) => status !== "failed");
    this.payments.push({ reference, status: "pending", isRepeat });
    if (!this.hasPrompt(reference)) return;
    const masked = `${this.phone.slice(0, 4)} *** ${this.phone.slice(-3)}`;
    this.note("service", `prompted ${masked} for the payment ${reference}`);
    if (this.case.customer === "approves before the response") this.#answer(reference);
    else void this.#answerSoon(reference);
  }

  /** The customer takes a moment. In a case about reads, the shop gets time for one. */
  async #answerSoon(reference: string): Promise<void> {
    this.#answers++;
    const deadline = performance.now() + MAX_READ_MS;
    const waitsForRead = () => this.case.fault?.subject === "read" && !this.seen.has("read");
    do await sleep(ANSWER_MS);
    while (waitsForRead() && performance.now() < deadline);
    this.#answers--;
    this.#answer(reference);
  }

  #answer(reference: string): void {
    if (!this.hasPrompt(reference)) return;
    const phone = this.#scene.sandbox.phone(this.phone);
    const [act = ""] = this.case.customer.split(" before");
    if (act === "does nothing") phone.ignore();
    else if (act === "cancels") phone.cancel();
    else if (act === "enters a wrong PIN") phone.enterWrongPin();
    else phone.approve();
    if (act !== "does nothing") this.note("customer", `${act} (${reference})`);
  }
}

/** The order that a payment is for, or whose phone is in a text, in any usual notation. */
export function findRun(
  runs: readonly CaseRun[],
  text: string,
  reference = "",
): CaseRun | undefined {
  const numbers: readonly string[] = text.replace(/[ -]/g, "").match(/712\d{6}(?!\d)/g) ?? [];
  return (
    runs.find(({ payments }) => payments.some((one) => one.reference === reference)) ??
    runs.find(({ phone }) => numbers.includes(phone.slice(1)))
  );
}
