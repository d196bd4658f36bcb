// Reads of payments at the service, in as few as it takes: a service may allow only some in a minute.

import type { Gateway } from "../../client/gateway.ts";
import { readPayments } from "../../client/unknown-outcomes/payment-pages.ts";
import type { Payment } from "../../contract/payment.ts";
import { isGatewayError } from "../../errors/any.ts";
import type { RateLimitError } from "../../errors/api.ts";
import { sleep } from "../../internal/timeout.ts";
import { MINUTE_MS } from "../../internal/units.ts";
import { type LabelledUpdate, paymentName, updateOf } from "./payment-updates.ts";

export interface ReadSettings {
  readonly gateway: Gateway;
  /** Brings what a read says into its order. */
  readonly note: (update: LabelledUpdate) => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

/** What a read says of a payment that the service does not have. */
export const NOT_FOUND = "not_found";

/** From so many that wait, the list is read first: one read may name all of them. */
const LIST_FROM = 4;
/** Further pages name older payments, of which few wait. */
const MAX_PAGES = 5;
/** How long a list that was read answers what is asked after it. */
const LISTED_MS = 2_000;
/** How long a service that has rejected a read is read no faster than it allowed, and its list not at all if that fails. */
const CAREFUL_MS = 10 * MINUTE_MS;

/** The first pause after a rejection that names none. Each further one without an answer is twice as long. */
const PAUSE_MS = 10_000;
/** How the time between two reads changes with one that is answered, and with the first that is rejected after that. */
const FASTER = 0.9;
const SLOWER = 1.5;

/** How often the service may be read, as its responses of 429 have shown. */
class ReadRate {
  #answered: number[] = [];
  /** How many were rejected without an answer between them: of those that begin together, one. */
  #rejected = 0;
  #rejectedAt = Number.NEGATIVE_INFINITY;
  #everyMs: number | undefined;
  #nextAt = 0;
  #carefulUntil = 0;

  get isCareful(): boolean {
    return performance.now() < this.#carefulUntil;
  }

  /** Resolves when the next read may begin. */
  async turn(signal: AbortSignal): Promise<void> {
    for (let now = performance.now(); now < this.#nextAt; now = performance.now()) {
      if (!(await sleep(this.#nextAt - now, signal))) return;
    }
    if (!this.isCareful) return;
    // What was answered in the last minute is what it allows.
    this.#everyMs ??= MINUTE_MS / Math.max(1, this.#answered.length);
    this.#nextAt = performance.now() + this.#everyMs;
  }

  noteAnswered(): void {
    const now = performance.now();
    this.#answered = this.#answered.filter((at) => now - at < MINUTE_MS);
    this.#answered.push(now);
    this.#rejected = 0;
    // It may allow more than it has so far.
    if (this.#everyMs !== undefined) this.#everyMs *= FASTER;
  }

  /** @param begunAt - When the read began. */
  noteRejected(begunAt: number, retryAfterMs: number | undefined): void {
    const now = performance.now();
    if (!this.isCareful) this.#everyMs = undefined;
    this.#carefulUntil = now + CAREFUL_MS;
    if (begunAt < this.#rejectedAt) return;
    if (this.#everyMs !== undefined && this.#rejected === 0) this.#everyMs *= SLOWER;
    const waitMs = retryAfterMs ?? Math.min(PAUSE_MS * 2 ** this.#rejected++, MINUTE_MS);
    this.#nextAt = Math.max(this.#nextAt, now + waitMs);
    this.#rejectedAt = now;
  }
}

/** A payment that is to be read. */
interface Waiting {
  readonly reference: string;
  /** When its customer was asked. */
  readonly askedAt: number;
  readonly resolve: () => void;
}

/** Reads payments: at once for a customer who waits, and all others in turn. */
export class PaymentReads {
  readonly #settings: ReadSettings;
  readonly #rate = new ReadRate();
  /** By their references. */
  readonly #waiting = new Map<string, Waiting>();
  #working: Promise<void> | undefined;
  #listed: ReadonlyMap<string, Payment> = new Map();
  #listedAt = Number.NEGATIVE_INFINITY;
  #noListUntil = 0;
  #dropped = new AbortController();
  #isStopped = false;

  constructor(settings: ReadSettings) {
    this.#settings = settings;
  }

  /** Reads a payment at once. Resolves with its status; `undefined` if the service said nothing about it. */
  async now(reference: string): Promise<string | undefined> {
    const begunAt = performance.now();
    try {
      const payment = await this.#settings.gateway.payments.get(reference);
      this.#rate.noteAnswered();
      return await this.#noted(payment, reference);
    } catch (error) {
      if (isGatewayError(error) && error.code === "not_found") return NOT_FOUND;
      this.#report(error, begunAt);
      return undefined;
    }
  }

  /** Reads a payment when its turn has come. One that waits already is not read twice. */
  async later(reference: string, askedAt: number): Promise<void> {
    if (this.#isStopped) return;
    if (this.#waiting.has(reference)) return;
    const read = new Promise<void>((resolve) => {
      this.#waiting.set(reference, { reference, askedAt, resolve });
    });
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
    await read;
  }

  /** Other reads of the same service. Resolves with whether it took them. */
  async shared(work: () => Promise<unknown>): Promise<boolean> {
    await this.#rate.turn(this.#dropped.signal);
    const begunAt = performance.now();
    try {
      await work();
      this.#rate.noteAnswered();
      return true;
    } catch (error) {
      if (!isLimit(error)) throw error;
      this.#report(error, begunAt);
      return false;
    }
  }

  /** Reads nothing more in turn: a pause would keep the process. */
  stop(): void {
    this.#isStopped = true;
    this.drop();
  }

  /** What waits is not read: it is left until it is due again. */
  drop(): void {
    this.#dropped.abort();
    this.#dropped = new AbortController();
    for (const { resolve } of this.#waiting.values()) resolve();
    this.#waiting.clear();
  }

  async #work(): Promise<void> {
    while (this.#waiting.size > 0) {
      await this.#rate.turn(this.#dropped.signal);
      const { isCareful } = this.#rate;
      const isWorthIt = this.#waiting.size >= (isCareful ? 2 : LIST_FROM);
      if (isWorthIt && (await this.#readList())) continue;
      // The oldest first: it has the best chance of an end.
      const waiting = [...this.#waiting.values()].sort((a, b) => a.askedAt - b.askedAt);
      const read = waiting.slice(0, isCareful ? 1 : waiting.length).map((one) => this.#single(one));
      if (isCareful) await Promise.all(read);
    }
  }

  async #single(one: Waiting): Promise<void> {
    this.#waiting.delete(one.reference);
    await this.now(one.reference);
    one.resolve();
  }

  /** Answers those that a list names. Resolves with whether it named any. */
  async #readList(): Promise<boolean> {
    const isFresh = performance.now() - this.#listedAt < LISTED_MS;
    if (!isFresh && !(await this.#list())) return false;
    const named = [...this.#waiting.values()].flatMap((one) => {
      const payment = this.#listed.get(one.reference);
      return payment && saysEnough(payment) ? [{ ...one, payment }] : [];
    });
    for (const { reference, payment, resolve } of named) {
      this.#waiting.delete(reference);
      await this.#noted(payment, reference).catch(this.#settings.onError);
      resolve();
    }
    if (named.length === 0) this.#noListUntil = performance.now() + CAREFUL_MS;
    return named.length > 0;
  }

  /** Reads the list until it names all that wait. Resolves with whether it could be read. */
  async #list(): Promise<boolean> {
    if (performance.now() < this.#noListUntil) return false;
    const { gateway } = this.#settings;
    const waiting = [...this.#waiting.values()];
    const since = Math.min(...waiting.map(({ askedAt }) => askedAt));
    const found = new Map<string, Payment>();
    let pages = 0;
    let begunAt = 0;
    try {
      await readPayments(async (query) => {
        if (pages > 0) await this.#rate.turn(this.#dropped.signal);
        begunAt = performance.now();
        const page = await gateway.payments.list(query).withResponse();
        this.#rate.noteAnswered();
        for (const payment of page.data.items) found.set(paymentName(payment) ?? "", payment);
        pages++;
        const isEnough = pages === MAX_PAGES || waiting.every((one) => found.has(one.reference));
        return isEnough ? { ...page, data: { ...page.data, meta: {} } } : page;
      }, since);
    } catch (error) {
      this.#report(error, begunAt);
      if (!isLimit(error)) this.#noListUntil = performance.now() + CAREFUL_MS;
      if (pages === 0) return false;
    }
    this.#listed = found;
    this.#listedAt = performance.now();
    return true;
  }

  async #noted(payment: Payment, reference: string): Promise<string> {
    const labelled = updateOf(payment, reference);
    await this.#settings.note({ ...labelled, source: "read" });
    return labelled.update.status;
  }

  /** A service that allows no more reads is told of once, and not for each of them. */
  #report(error: unknown, begunAt: number): void {
    const { onError } = this.#settings;
    if (!isLimit(error)) {
      onError(error);
      return;
    }
    if (!this.#rate.isCareful) {
      const message =
        "The service allows no more reads of payments for now (429). They are read as often as it allows: the list first, then the oldest. With webhooks, few reads are needed: `npx malipo doctor` checks them.";
      onError(new Error(message, { cause: error }));
    }
    this.#rate.noteRejected(begunAt, error.retryAfterMs);
  }
}

const isLimit = (error: unknown): error is RateLimitError =>
  isGatewayError(error) && error.code === "rate_limit";

/** Whether an item of a list says as much as a read of its payment does. */
const saysEnough = (payment: Payment): boolean => {
  if (payment.status === "completed") return payment.amount !== undefined;
  return payment.status !== "failed" || payment.failure_reason !== undefined;
};
