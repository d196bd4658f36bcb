import type { Gateway } from "../../client/gateway.ts";
import { isGatewayError } from "../../errors/any.ts";
import type { ElapsedTime } from "../../internal/elapsed-time.ts";
import { sameError } from "../../internal/error-text.ts";
import { DAY_MS } from "../../internal/units.ts";
import { messageOf } from "../rules/customer-messages.ts";
import type { Action, Input, PaymentUpdate } from "../rules/inputs.ts";
import { byReference, moneyOf } from "../rules/known-payments.ts";
import { askedBy, attemptOf, type OrderState } from "../rules/order-state.ts";
import { isOfMerchant, rejectionOf } from "../rules/rejections.ts";
import { decide } from "../rules/rules.ts";
import { unmatchedView } from "../rules/view.ts";
import { type LabelledOrder, labelOf } from "./checkout-store.ts";
import { type GoodsSettings, giveGoods } from "./give-goods.ts";
import { NOT_FOUND, PaymentReads } from "./payment-reads.ts";
import { type LabelledUpdate, storedName } from "./payment-updates.ts";
import { labelsLike } from "./typed-label.ts";
import { type KnownOrder, OrderWriter, type WrittenOrder } from "./write-order.ts";

/** What the engine works with. */
export interface EngineSettings extends GoodsSettings {
  readonly gateway: Gateway;
  readonly prefix: string;
}

const LOOK_BACK_MS = DAY_MS;
/** An order may be made, deleted or bound while an update is stored. */
const MAX_NOTE_TRIES = 10;
/** A rejection that no customer can correct is told once in this time. */
const TELL_AGAIN_MS = 60_000;
/** What a read says of a payment that asks no customer any more. */
const FINAL: readonly string[] = ["completed", "failed", NOT_FOUND];

/** A customer's click. */
interface Click {
  /** In international digits. */
  readonly phone: string;
  readonly masked: string;
  readonly after: number | undefined;
  readonly elapsed: () => ElapsedTime;
}

/** The one order that can be meant. If several are near, or it can no longer be paid, a person decides. */
function onlyOpen(near: readonly LabelledOrder[]): string | undefined {
  const [only, ...others] = near.filter(({ status }) => status === "open" || status === "pending");
  return others.length === 0 ? only?.id : undefined;
}

/** What a person needs to find the order of a payment that names none. */
const typedIn = (label: string | undefined, near: readonly LabelledOrder[]) => ({
  ...(label !== undefined && { typed: label }),
  ...(near.length > 0 && { near: near.map((one) => `${one.label} (${one.status})`).slice(0, 5) }),
});

/** Brings inputs into orders, and does what the rules say. */
export class Engine extends OrderWriter<EngineSettings> {
  readonly reads: PaymentReads;
  #resolving: Promise<unknown> | undefined;
  /** Which rejections of the shop were told, and when. */
  readonly #told = new Map<string, number>();

  constructor(settings: EngineSettings) {
    super(settings);
    const { gateway, onError } = settings;
    this.reads = new PaymentReads({ gateway, note: (update) => this.note(update), onError });
  }

  /**
   * Asks the customer to pay an order, at most once for each attempt. A new order is made with its first one.
   *
   * @param order - As it was read.
   */
  async ask(order: KnownOrder, { phone, masked, after, elapsed }: Click): Promise<WrittenOrder> {
    const { id } = order.stored.order;
    const phoneDigest = this.settings.store.idempotency.digest(phone);
    const asked = { kind: "asked", phone: masked, phoneDigest, after } as const;
    const openAgain: string[] = [];
    let known: KnownOrder | undefined = order;
    for (let checked: number | undefined; ; ) {
      const result = await this.write(id, { ...asked, checked, openAgain }, undefined, known);
      if (result === undefined) throw new Error(`The order ${JSON.stringify(id)} was deleted.`);
      if (result.notMade !== undefined) return result;
      const reads = result.actions.flatMap((one) => (one.do === "read" ? [one.reference] : []));
      for (const action of result.actions) {
        if (action.do !== "send") continue;
        const { wallMs, monotonicMs } = elapsed();
        return this.#send(result, action.number, phone, Math.max(wallMs, monotonicMs));
      }
      if (reads.length === 0) return result;
      for (const reference of reads) {
        const status = await this.reads.now(reference);
        if (status === undefined) {
          const until = (await this.settings.store.read(id)).now;
          const blocked = {
            kind: "blocked",
            until,
            ...messageOf("last_payment_unchecked"),
          } as const;
          return (await this.write(id, blocked)) ?? result;
        }
        if (!FINAL.includes(status)) openAgain.push(reference);
      }
      checked = result.known.stored.order.attempts.length;
      known = undefined;
    }
  }

  /** The only call that sends the prompt of an attempt: no other one ever uses its key. */
  async #send(
    asked: WrittenOrder,
    number: number,
    phone: string,
    passedMs: number,
  ): Promise<WrittenOrder> {
    const { gateway, times } = this.settings;
    const { now, stored } = asked.known;
    const since = performance.now();
    const { order } = stored;
    const { id, description, accountReference: account_reference } = order;
    const idempotencyKey = keyOf(id, number);
    const sendBefore = Date.now() + times.promptWithinMs - passedMs;
    const params = {
      amount: Number(askedBy(order, attemptOf(order, number))),
      phone,
      account_reference,
      ...(description !== undefined && { description }),
    };
    let input: Input;
    try {
      const { reference } = await gateway.mobileMoney.initiate(params, {
        idempotencyKey,
        sendBefore,
      });
      input = { kind: "accepted", number, reference: storedName(reference) };
    } catch (error) {
      input = inputOf(error, number);
      const { about, reason = "" } = input.kind === "rejected" ? input : {};
      if (isOfMerchant(about)) this.#tellOnce(reason, error);
      else this.settings.onError(error);
    }
    // The store's clock, near enough to say when to look next. If the order was changed meanwhile, it is read.
    const later = { now: now + Math.floor(performance.now() - since), stored };
    try {
      return (await this.write(id, input, undefined, later)) ?? asked;
    } catch (error) {
      // The customer may have been asked, and must not read that nothing was sent. A later look finds it in the key.
      this.settings.onError(error);
      const decided = decide(order, input, { now: later.now, times });
      return { ...asked, known: { ...later, stored: { ...stored, order: decided.order } } };
    }
  }

  /** Every customer meets a rejection of the shop, such as that of its key: it is told once a minute. */
  #tellOnce(reason: string, cause: unknown): void {
    const now = performance.now();
    for (const [same, at] of this.#told) if (now - at >= TELL_AGAIN_MS) this.#told.delete(same);
    const same = sameError(reason);
    if (this.#told.has(same)) return;
    this.#told.set(same, now);
    const message = `The service rejects payment requests, and no customer can correct the cause: ${reason}`;
    this.settings.onError(new Error(message, { cause }));
  }

  /** Brings what a webhook or a read says into its order. Resolves with whether that changed anything. */
  async note({ update, label, source }: LabelledUpdate): Promise<boolean> {
    const { store, prefix } = this.settings;
    const like = label === undefined ? [] : labelsLike(label, prefix);
    const isExact = label === undefined ? prefix === "" : labelOf(label).startsWith(prefix);
    const isOurs = isExact || (prefix !== "" && like.length > 0);
    const isFailed = update.status === "failed";
    for (let tries = 0; tries < MAX_NOTE_TRIES; tries++) {
      const { reference, alias } = update;
      const named = await store.orderOf({ reference, alias, label: isExact ? label : undefined });
      const near = named === undefined && like.length > 0 ? await store.labelled(like) : [];
      const id = named ?? onlyOpen(near);
      let isForeign = false;
      if (id !== undefined) {
        const before = (await store.read(id)).stored?.order;
        const isOther = await this.#isOther(before, label);
        const known = isOther ? { ...update, status: "contradiction", otherLabel: label } : update;
        const result = await this.write(id, { kind: "reported", update: known, source });
        if (result === undefined) continue;
        // An order that has as many payments as are stored takes no further one.
        isForeign = result.isForeign === true || result.isRefused === true;
        // It may be that of an attempt that is starting: it is kept until its reference is known.
        const isEarly = isFailed && !hasPayment(result.known.stored.order, update);
        if (!isForeign && !isEarly) return result.isNew;
        isForeign ||= tries > 0;
      } else if (!isOurs && label !== undefined) return false;
      const isReview = !isFailed && (isOurs || isForeign);
      const stray = { ...update, ...typedIn(label, near) };
      const retained = await store.keep(stray, isReview, isForeign);
      if (retained === "bound") continue;
      const isNew = retained === "new";
      if (isReview && isNew) this.review(unmatchedView(stray, (await store.read("")).now));
      return isNew;
    }
    throw new Error(
      `The payment ${JSON.stringify(update.reference)} could not be stored: its order changes again and again. The service delivers it again.`,
    );
  }

  /** Whether the label of a payment names an order other than the one that has its reference. */
  async #isOther(order: OrderState | undefined, label: string | undefined): Promise<boolean> {
    if (order === undefined || label === undefined) return false;
    if (labelOf(order.accountReference) === labelOf(label)) return false;
    return (await this.settings.store.orderOf({ reference: "", label })) !== undefined;
  }

  async #look(id: string, number: number): Promise<void> {
    const { gateway, times, store } = this.settings;
    const { idempotency } = gateway;
    const { notSentAfterMs } = times;
    const key = keyOf(id, number);
    // Noted before the look: a call may begin right after it.
    let seenAt = (await store.read(id)).now;
    let found = await idempotency.get(key);
    const wasUnknown = found.state === "unknown";
    if (wasUnknown) {
      // One look for all attempts of this process.
      this.#resolving ??= this.reads
        .shared(() => idempotency.resolveUnknown({ lookBackMs: LOOK_BACK_MS, notSentAfterMs }))
        .finally(() => {
          this.#resolving = undefined;
        });
      await this.#resolving;
      seenAt = (await store.read(id)).now;
      found = await idempotency.get(key);
    }
    const name = found.state === "succeeded" ? found.reference : undefined;
    const reference = name && storedName(name);
    const state = wasUnknown && found.state === "free" ? "freed" : found.state;
    await this.write(id, { kind: "key", number, state, reference, seenAt });
  }

  /**
   * Does what is due for an order. Another process does it later if this one dies.
   *
   * @param read - Gets each read: the goods, and the place of their order, do not wait for it.
   */
  async work(id: string, read: (work: () => Promise<void>) => void): Promise<void> {
    try {
      const result = await this.write(id, { kind: "due" });
      const effects: Promise<void>[] = [];
      for (const action of result?.actions ?? []) {
        const work = () => this.#do(id, action, result?.order).catch(this.settings.onError);
        if (action.do === "effect") effects.push(work());
        else read(work);
      }
      await Promise.all(effects);
    } catch (error) {
      this.settings.onError(error);
    }
  }

  async #do(id: string, action: Action, order: OrderState | undefined): Promise<void> {
    if (action.do === "read") {
      const { askedAt = 0 } = (order && byReference(order, action.reference)) ?? {};
      await this.reads.later(action.reference, askedAt);
    }
    if (action.do === "look") await this.#look(id, action.number);
    if (action.do === "effect" && order !== undefined) await giveGoods(this, order);
  }
}

/** Whether an order has a payment, by one of its names. */
const hasPayment = (order: OrderState, update: PaymentUpdate): boolean =>
  byReference(order, update.reference) !== undefined || moneyOf(order, update) !== undefined;

const keyOf = (id: string, number: number): string => `${id}/${number}`;

/** What the failure of the call that sends a prompt says about its attempt. */
function inputOf(error: unknown, number: number): Input {
  const outcome = isGatewayError(error) ? error.outcome : "unknown";
  // The key was used by someone else: then this is not the call that knows.
  const isOwn = !isGatewayError(error) || error.code !== "idempotency_conflict";
  if (outcome === "unknown" || !isOwn) return { kind: "lost", number };
  return { kind: "rejected", number, ...rejectionOf(error) };
}
