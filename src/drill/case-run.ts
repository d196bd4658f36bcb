import { setTimeout as sleep } from "node:timers/promises";
import type { Sandbox } from "../sandbox/types.ts";
import type { Barrier } from "./barrier.ts";
import type { DrillCase, Subject, When } from "./cases.ts";

/** One line of a story. */
export interface StoryLine {
  /** Milliseconds since the order. */
  readonly atMs: number;
  readonly who: "customer" | "shop" | "service" | "drill";
  readonly text: string;
}

/** A payment of an order, in the order in which the service made them. */
export interface LedgerEntry {
  readonly reference: string;
  /** Whether a payment of the order was pending or paid when this one was made. */
  readonly isRepeat: boolean;
}

/** How soon a customer looks at the phone. */
const ANSWER_MS = 250;
/** How long the customer of a case about reads waits for the shop to read. */
const MAX_READ_MS = 5_000;

let nextPhone = 100_000;
const ORDER_LENGTH = 12;

/** One order, from its click to its end, with everything that is known about it. */
export class CaseRun {
  readonly case: DrillCase;
  /** 07..., as a customer types it. */
  readonly phone: string;
  /** 2547..., as the service writes it. */
  readonly number: string;
  /** What `{order}` is. */
  readonly order: string;
  readonly amount: number;
  readonly barrier: Barrier | undefined;
  readonly story: StoryLine[] = [];
  readonly ledger: LedgerEntry[] = [];
  /** What the shop returned for the order, if it did. */
  orderStatus: number | undefined;
  id: string | undefined;
  /** Whether what was planned has happened. */
  faultHappened = false;
  /** Whether the fault is waiting for its moment. */
  isArmed: boolean;
  /** What is wrong, by the name of the promise. */
  readonly problems = new Map<string, string>();
  readonly seen = new Set<Subject>();
  /** What is done when all other deliveries of the wave have ended. */
  atEnd: (() => Promise<void>) | undefined;
  /** What the shop says at the end: `paid`, `failed`, `open`, or a text that is none of them. */
  belief = "not asked";
  /** Whether the shop has ever said something that the drill could read. */
  wasRead = false;
  /** How often the customer got what was ordered. */
  effects: number | undefined;
  readonly #lost = new Set<string>();
  #answers = 0;
  readonly #sandbox: Sandbox;
  readonly #startedAt = performance.now();

  constructor(one: DrillCase, sandbox: Sandbox, barrier?: Barrier) {
    const id = nextPhone++;
    this.case = one;
    this.#sandbox = sandbox;
    this.barrier = barrier;
    this.isArmed = one.fault !== undefined;
    this.phone = `0712${id}`;
    this.number = `254712${id}`;
    this.order = id.toString(16).toUpperCase().padStart(ORDER_LENGTH, "D");
    this.amount = 100 + (id % 900);
  }

  note(who: StoryLine["who"], text: string): void {
    this.story.push({ atMs: performance.now() - this.#startedAt, who, text });
  }

  /** Records what is wrong; the first finding about a promise stays. */
  blame(promise: string, what: string): void {
    if (!this.problems.has(promise)) this.problems.set(promise, what);
  }

  /** Takes the fault of the case, if this is its moment. */
  takeFault(subject: Subject, when: When): NonNullable<DrillCase["fault"]>["effect"] | undefined {
    const { fault } = this.case;
    if (!this.isArmed || fault?.subject !== subject || fault.when !== when) return undefined;
    this.isArmed = false;
    return fault.effect;
  }

  /** From now on, events of this kind never reach the shop. */
  lose(event: string): void {
    this.#lost.add(event);
  }

  isLost(event: string): boolean {
    return this.#lost.has(event);
  }

  hasPrompt(reference: string): boolean {
    return this.#sandbox.phone(this.number).prompt?.reference === reference;
  }

  /** The service has made a payment: the customer answers, at once or soon. */
  async prompted(reference: string): Promise<void> {
    const open = await Promise.all(this.ledger.map((one) => this.paymentStatus(one.reference)));
    this.ledger.push({ reference, isRepeat: open.some((status) => status !== "failed") });
    if (!this.hasPrompt(reference)) return;
    this.note("service", `prompted ${maskPhone(this.phone)} for the payment ${reference}`);
    const { customer } = this.case;
    if (customer === "approves before the response") this.#answer(reference);
    else void this.#answerSoon(reference);
  }

  /** The customer takes a moment. In a case about reads, the shop gets time for one. */
  async #answerSoon(reference: string): Promise<void> {
    this.#answers++;
    const deadline = performance.now() + MAX_READ_MS;
    const waitsForRead = () => this.isArmed && this.case.fault?.subject === "read";
    do await sleep(ANSWER_MS);
    while (waitsForRead() && performance.now() < deadline);
    this.#answers--;
    this.#answer(reference);
  }

  /** Whether the customer is about to answer. */
  get isAnswering(): boolean {
    return this.#answers > 0;
  }

  #answer(reference: string): void {
    if (!this.hasPrompt(reference)) return;
    const phone = this.#sandbox.phone(this.number);
    const { customer } = this.case;
    if (customer === "does nothing") phone.ignore();
    else if (customer === "cancels") phone.cancel();
    else if (customer === "enters a wrong PIN") phone.enterWrongPin();
    else phone.approve();
    if (customer !== "does nothing") {
      this.note("customer", `${customer.split(" before")[0]} (${reference})`);
    }
  }

  /** What the service says of a payment. */
  async paymentStatus(reference: string): Promise<string> {
    const response = await this.#sandbox.fetch(`${this.#sandbox.baseUrl}/payments/${reference}`, {
      headers: { "x-api-key": this.#sandbox.keys.sandbox },
    });
    const { data } = (await response.json()) as { data?: { status?: string } };
    return data?.status ?? "unknown";
  }
}

/** 0712 *** 041 */
const maskPhone = (phone: string): string => `${phone.slice(0, 4)} *** ${phone.slice(-3)}`;
