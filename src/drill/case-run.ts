import { setTimeout as sleep } from "node:timers/promises";
import type { Gateway } from "../client/gateway.ts";
import { withoutCommands } from "../internal/visible.ts";
import type { Sandbox } from "../sandbox/sandbox-types.ts";
import {
  type Customer,
  changesDue,
  type DrillCase,
  type Fault,
  hasSubject,
  processFault,
  type Subject,
  type When,
} from "./cases.ts";
import { type Closed, type DrillPayment, dueOf, isPaid } from "./drill-payment.ts";
import type { DrillSettings } from "./drill-settings.ts";
import { until } from "./machine-pace.ts";
import { needsId, type RequestTemplate } from "./request-template.ts";
import type { ShopProcess } from "./shop-process.ts";

/** One line of a story. */
export interface StoryLine {
  /** Milliseconds since the order. */
  readonly atMs: number;
  readonly who: "customer" | "staff" | "shop" | "service" | "drill";
  readonly text: string;
}

/** A shop, the service that it talks to, and the orders of its customers. */
export interface Scene {
  readonly settings: DrillSettings;
  readonly sandbox: Sandbox;
  readonly client: Gateway;
  /** The processes of the shop. Faults of the process happen to the first one. */
  readonly shops: readonly ShopProcess[];
  readonly runs: readonly CaseRun[];
  /** Whether planned faults happen. A drill that forgot them must fail. */
  readonly hasFaults: boolean;
  /** Until when the service is away, from `performance.now()`. */
  awayUntil: number;
  /** Whether the shop has asked for a payment of another shop that runs now. */
  sharesData: boolean;
}

/** What the service asked of a phone. */
interface Prompt extends Pick<DrillPayment, "reference" | "phone" | "amount" | "label"> {
  /** The phone that rang, as the service writes it. */
  readonly number: string;
}

/** What a customer sees of an order: `paid`, `failed`, `open`, or a text that is none of them. */
export interface Look {
  /** When the customer asked, from `performance.now()`. Looks may end in another order than they began. */
  readonly askedAt: number;
  readonly shown: string;
  /** How often the customer got what was ordered. */
  readonly effects: number | undefined;
}

/** How long a customer takes to answer a prompt, at least. */
const ANSWER_MS = 250;
/** How long a customer waits for the shop's page before the answer, in most cases and in a pair of faults. */
const MAX_PAGE_MS = 2_000;
const MAX_PAGE_OF_PAIR_MS = 30_000;
/** How long the customer of a case about reads waits for the shop to read. */
const MAX_READ_MS = 5_000;
const OTHER_PHONE = 500_000;

// A shop may keep its orders in a database that outlives a drill: neither an order nor a phone comes again.
const DRILL_ID = crypto.randomUUID().slice(0, 6).toUpperCase();
let nextPhone = 100_000 + Math.floor(Math.random() * 350_000);

/** One order, from its click to its end, with everything that is known about it. */
export class CaseRun {
  readonly case: DrillCase;
  /** As a customer types it. */
  readonly phone: string;
  /** The phone of another customer who sends the same order. */
  readonly otherPhone: string;
  /** The value of `{order}`. */
  readonly order: string;
  /** The value of `{uuid}`, for a shop that takes no other id. */
  readonly uuid: string = crypto.randomUUID();
  readonly amount: number;
  readonly story: StoryLine[] = [];
  readonly payments: DrillPayment[] = [];
  /** How often people have clicked. */
  clicks = 0;
  #clickedAt = performance.now();
  /** How many requests of the customer wait for the shop's response. */
  #waiting = 0;
  #respondedAt = 0;
  /** What the shop returned for the order, if it did. */
  orderStatus: number | undefined;
  /** What the shop answered if it did not take the order. */
  rejection: string | undefined;
  id: string | undefined;
  /** What is wrong, by the name of the promise. */
  readonly problems = new Map<string, string>();
  /** Why the case does not count, if it does not. */
  skipped: string | undefined;
  /** Why it says nothing about the shop, though it was run. */
  undecided: string | undefined;
  /** What the machine did to it that no case plans: the first such thing. */
  delay: string | undefined;
  readonly seen = new Set<Subject>();
  /** Events of these kinds never reach the shop. */
  readonly lost = new Set<string>();
  /** Sends what comes after all other deliveries of the wave. */
  atEnd: (() => Promise<unknown>) | undefined;
  /** What the customer sees now. */
  look: Look = { askedAt: 0, shown: "not asked", effects: undefined };
  /** When a customer first read paid. */
  paidAt = Number.POSITIVE_INFINITY;
  /** Whether the drill could ever read what the shop shows. */
  wasRead = false;
  /** Whether the shop could be asked: it gave the order an id. */
  canAsk = false;
  /** Whether a read reported the shop that a payment is completed. */
  hasReadPaid = false;
  /** It waits for a fault of the process, which comes when `step` resolves. */
  held: { readonly when: When; readonly step: Promise<unknown> | undefined } | undefined;
  /** Sends the order to the other process of the shop, and asks it. */
  askOther: () => Promise<unknown> = async () => {};
  /** What the customer does with the next prompts. */
  readonly #acts: Customer[];
  /** What the shop answered if it rejected to cancel, pay back or change the order though it could. */
  rejectedRoute: string | undefined;
  /** What the order costs since it has changed. */
  changedPrice: number | undefined;
  /** Whether the shop was asked to cancel the order or to pay it back, and has not rejected that. */
  isClosing = false;
  closed: Closed | undefined;
  /** The orders of other customers who want the same last piece. */
  rivals: readonly CaseRun[] = [];
  readonly #happened = new Set<Fault>();
  #busy = 0;
  readonly #scene: Scene;
  /** Resolves when what waits for a fault of the process at a moment goes on. */
  readonly #released: (when: When) => Promise<void>;
  readonly #startedAt = performance.now();

  constructor(
    one: DrillCase,
    scene: Scene,
    released: (when: When) => Promise<void> = async () => {},
  ) {
    const id = nextPhone++;
    const { phones } = scene.settings;
    this.case = one;
    this.#scene = scene;
    this.#released = released;
    this.#acts = [one.customer];
    this.phone = `${phones}${id}`;
    this.otherPhone = `${phones}${id + OTHER_PHONE}`;
    this.order = `D${DRILL_ID}${id.toString(16).toUpperCase()}`;
    this.amount = 100 + (id % 900);
  }

  /** How the customer orders. */
  get template(): RequestTemplate {
    const { order, lastPiece } = this.#scene.settings;
    return (this.case.act === "lastPiece" && lastPiece) || order;
  }

  /** An amount as the texts show it, such as "KES 100". */
  money(amount: number): string {
    return `${this.#scene.settings.currency} ${amount}`;
  }

  /** What the order costs. The shop sets it if the customer does not send it. */
  get price(): number | undefined {
    if (this.changedPrice !== undefined) return this.changedPrice;
    const { path, body } = this.template;
    return `${path} ${body}`.includes("{amount}") ? this.amount : this.payments[0]?.amount;
  }

  /** Whether each planned fault has happened. */
  get isTested(): boolean {
    return this.case.faults.every((one) => this.#happened.has(one)) && this.hasActed;
  }

  /** Whether the shop rejected the order before it asked the service for anything. */
  get isRejected(): boolean {
    const { orderStatus = 0, payments } = this;
    return (
      orderStatus >= 400 && orderStatus < 500 && payments.length === 0 && !this.seen.has("start")
    );
  }

  /** Whether the people of the case did what they should. */
  hasActed = true;

  note(who: StoryLine["who"], text: string): void {
    const atMs = performance.now() - this.#startedAt;
    this.story.push({ atMs, who, text: withoutCommands(text) });
  }

  /** How long nothing was heard of the order. */
  get silentMs(): number {
    return performance.now() - this.#startedAt - (this.story.at(-1)?.atMs ?? 0);
  }

  /** Records what is wrong; the first finding about a promise stays. */
  blame(promise: string, what: string): void {
    if (!this.problems.has(promise)) this.problems.set(promise, withoutCommands(what));
  }

  /** Records that something came late which the case does not plan: what is wrong then may be the machine's fault. */
  wasDelayed(what: string): void {
    if (this.delay !== undefined) return;
    this.delay = withoutCommands(what);
    this.note("drill", `the machine was busy: ${what}`);
  }

  /** What the customer sees now. A change is a line of the story. */
  saw(look: Look): void {
    const { askedAt, shown } = look;
    if (askedAt < this.look.askedAt) return;
    const isNews = shown !== this.look.shown && ["paid", "failed", "open"].includes(shown);
    if (isNews) this.note("customer", `reads "${shown}"`);
    this.look = look;
  }

  clicked(): void {
    this.clicks++;
    this.#clickedAt = performance.now();
  }

  /** Sends what the customer has clicked, and waits for the shop. */
  async whileWaiting<Result>(send: () => Promise<Result>): Promise<Result> {
    this.#waiting++;
    return await send().finally(() => {
      this.#waiting--;
      this.#respondedAt = performance.now();
    });
  }

  /** Whether the customer has seen what the shop shows after the last click. */
  get hasSeenPage(): boolean {
    if (this.#waiting > 0) return false;
    const cannotLook = this.id === undefined && needsId(this.#scene.settings.status);
    return cannotLook || this.look.askedAt >= this.#respondedAt;
  }

  /** What the customer does with the next prompts, the last one with all that follow. */
  willAlso(act: Customer): void {
    this.#acts.push(act);
  }

  /** Returns the fault of the case if it is for this request or delivery: the first of its kind. */
  begin(subject: Subject): Fault | undefined {
    const isFirst = !this.seen.has(subject);
    this.seen.add(subject);
    if (!isFirst || !this.#scene.hasFaults) return undefined;
    return this.case.faults.find((one) => one.subject === subject);
  }

  /** Records that a planned fault happens now. */
  happen(fault: Fault | undefined): void {
    if (fault === undefined || this.#happened.has(fault)) return;
    this.#happened.add(fault);
    this.note("drill", fault.text);
  }

  /**
   * Waits for the fault of the process, together with the other cases of the wave.
   *
   * @param when - `before`: it goes on when the fault has happened.
   * @param step - If the fault comes after what was held: resolves when that moment is reached.
   */
  async disturb(when: When = "before", step?: Promise<unknown>): Promise<void> {
    this.held = { when, step };
    await this.#released(when);
  }

  /** The phone as the customer types it: of another country if the case says so. */
  get typedPhone(): string {
    if (this.case.act !== "foreignPhone") return this.phone;
    return `+${this.#scene.settings.country === "UG" ? 254 : 256}${this.phone.slice(1)}`;
  }

  get phoneNumbers(): readonly string[] {
    return [this.phone, this.otherPhone];
  }

  hasPrompt({ reference, phone }: DrillPayment): boolean {
    return this.#scene.sandbox.phone(phone).prompt?.reference === reference;
  }

  /** Whether a payment of the order waits for the customer. */
  get isPrompted(): boolean {
    return this.payments.some((one) => this.hasPrompt(one));
  }

  /** Whether the customer is about to answer, or to be asked. */
  get isAnswering(): boolean {
    return this.#busy > 0;
  }

  /** Runs what ends with a prompt: no clock may move meanwhile, since the prompt would expire. */
  async whileBusy<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#busy++;
    return await work().finally(() => {
      this.#busy--;
    });
  }

  /** Asks the service for the status of each payment that has not ended. */
  async updatePayments(): Promise<void> {
    const open = this.payments.filter(({ status }) => status === "pending");
    await Promise.all(
      open.map(async (one) => {
        one.status = String((await this.#scene.client.payments.get(one.reference)).status);
      }),
    );
  }

  /** The service has made a payment: the customer answers, at once or soon. */
  prompted({ reference, phone, amount, label, number }: Prompt): void {
    const price = this.price ?? amount;
    const rest = changesDue(this.case) ? dueOf(price, this.payments) : 0;
    const isRepeat = this.payments.some(
      (one) => one.status === "pending" || (isPaid(one) && rest === 0),
    );
    const one: DrillPayment = {
      ...{ reference, phone, amount, label, isRepeat, due: rest || price, status: "pending" },
      afterClickMs: performance.now() - this.#clickedAt,
      after: this.closed?.how,
      isOtherPhone: this.typedPhone.startsWith("+") && !`+${number}`.endsWith(this.typedPhone),
    };
    this.payments.push(one);
    const masked = `${phone.slice(0, 4)} *** ${phone.slice(-3)}`;
    const isShown = this.hasPrompt(one);
    const beside = isShown ? "" : ", which shows another prompt,";
    this.note(
      "service",
      `prompted ${masked}${beside} for the payment ${reference}, ${this.money(amount)}`,
    );
    if (!isShown) return;
    const act = this.#acts[0] ?? "approves";
    if (this.#acts.length > 1) this.#acts.shift();
    if (act === "approves before the response") this.#answer(one, act);
    else void this.whileBusy(() => this.#answerSoon(one, act));
  }

  /**
   * The customer takes a moment, and reads the shop's page before the answer: what it says of a payment
   * that waits must be seen. In a case about reads, the shop gets time for one.
   */
  async #answerSoon(payment: DrillPayment, act: Customer): Promise<void> {
    const isAboutRead = hasSubject(this.case, "read");
    await sleep(this.answerMs);
    if (isAboutRead) await until(() => this.seen.has("read"), MAX_READ_MS);
    await until(() => this.hasSeenPage, this.#maxPageMs);
    this.#answer(payment, act);
  }

  get #maxPageMs(): number {
    // A shop that may wait responds after the answer only, and one that was stopped shows nothing.
    if (this.case.faults.length > 1) return MAX_PAGE_OF_PAIR_MS;
    return processFault(this.case) === undefined ? MAX_PAGE_MS : 0;
  }

  /** How long the customer takes to answer. Another customer may do something meanwhile. */
  get answerMs(): number {
    const isWatched = /Meanwhile|WhileWaiting/.test(this.case.act ?? "");
    return isWatched || this.case.group === "processes" ? 6 * ANSWER_MS : ANSWER_MS;
  }

  #answer(payment: DrillPayment, customer: Customer): void {
    if (!this.hasPrompt(payment)) return;
    const phone = this.#scene.sandbox.phone(payment.phone);
    const [act = ""] = customer.split(" before");
    if (act === "does nothing") phone.ignore();
    else if (act === "cancels") phone.cancel();
    else if (act === "enters a wrong PIN") phone.enterWrongPin();
    else phone.approve();
    if (act !== "does nothing") this.note("customer", `${act} (${payment.reference})`);
  }
}

/** The order that a payment is for, or whose phone is in a text, in any usual notation. */
export function findRun(
  runs: readonly CaseRun[],
  text: string,
  reference = "",
): CaseRun | undefined {
  const numbers: readonly string[] = text.replace(/[ -]/g, "").match(/[17]\d{8}(?!\d)/g) ?? [];
  return (
    runs.find(({ payments }) => payments.some((one) => one.reference === reference)) ??
    runs.find(({ phoneNumbers }) => phoneNumbers.some((one) => numbers.includes(one.slice(1))))
  );
}

/** What became of one case. */
export type CaseResult = Pick<CaseRun, "case" | "problems" | "story"> & {
  /** What the service made of it, if it was run. */
  readonly payments?: readonly Pick<DrillPayment, "status">[];
  /** Why it did not count. */
  readonly skipped?: string | undefined;
  /** Why it says nothing about the shop, though it was run. */
  readonly undecided?: string | undefined;
};
