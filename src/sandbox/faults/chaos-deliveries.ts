import { dropTimer } from "../clock/timer-queue.ts";
import type { Delivery, DeliveryChaos, StoredDelivery } from "../state/records.ts";
import type { State } from "../state/state.ts";
import { chaosMark, luck, strikes } from "./chaos.ts";

const DAY_MS = 24 * 3_600_000;
const LONGEST_DELAY_MS = 60_000;
/** How long a delivery waits for the next one to change places with. */
const REORDER_MS = 10_000;

/** What chaos makes of a delivery before it is signed. */
export interface DeliveryPlan {
  readonly chaos?: StoredDelivery["chaos"];
  /** How much older than it is the body says it is. */
  readonly olderMs: number;
  /** How long to wait with the first attempt; 0 is at once. */
  readonly waitMs: number;
}

const UNTOUCHED: DeliveryPlan = { olderMs: 0, waitMs: 0 };

/** What befalls a new delivery. Rotates the secret where its time has come. */
export function planDelivery(state: State, id: string, url: string): DeliveryPlan {
  const { chaos } = state;
  if (chaos === undefined) return UNTOUCHED;
  const touched: DeliveryChaos[] = [];
  const befalls = (name: DeliveryChaos) => {
    const does = strikes(chaos, name, id);
    if (does) touched.push(name);
    return does;
  };
  if (chaos.nextSecret !== undefined && befalls("rotateSecret")) rotateSecret(state);
  const olderMs = befalls("staleTimestamp") ? DAY_MS : 0;
  let waitMs = 0;
  // One at a time: the next one is what it changes places with.
  if (chaos.held[url] === undefined && befalls("reorder")) {
    chaos.held[url] = id;
    waitMs = REORDER_MS;
  } else if (befalls("delay")) {
    waitMs = Math.max(Math.round(luck(chaos, "delay by", id) * LONGEST_DELAY_MS), 1);
  }
  if (touched.length === 0) return UNTOUCHED;
  return { chaos: { seed: chaos.seed, touched }, olderMs, waitMs };
}

function rotateSecret(state: State): void {
  const { chaos, webhookSecret, otherSecrets = [] } = state;
  if (chaos?.nextSecret === undefined) return;
  state.otherSecrets = [webhookSecret, ...otherSecrets.filter((one) => one !== chaos.nextSecret)];
  state.webhookSecret = chaos.nextSecret;
  delete chaos.nextSecret;
}

/** What befalls one attempt; all else befalls the delivery. */
const OF_AN_ATTEMPT: readonly DeliveryChaos[] = ["duplicate", "drop", "badSignature"];

/** What befalls the attempt that a delivery is about to make in its turn. Writes it down. */
export function planAttempt({ chaos }: State, delivery: StoredDelivery): DeliveryChaos[] {
  if (chaos === undefined) return [];
  const key = `${delivery.id} ${delivery.tries}`;
  const mishaps = OF_AN_ATTEMPT.filter((name) => strikes(chaos, name, key));
  if (mishaps.length > 0) {
    const touched = new Set([...(delivery.chaos?.touched ?? []), ...mishaps]);
    delivery.chaos = { seed: chaos.seed, touched: [...touched] };
  }
  return mishaps;
}

/** The headers of an attempt that was touched. */
export function markOf(
  { chaos }: Delivery,
  mishaps: readonly DeliveryChaos[],
): Record<string, string> {
  const whole = chaos?.touched.filter((name) => !OF_AN_ATTEMPT.includes(name)) ?? [];
  const touched = [...whole, ...mishaps];
  return chaos === undefined || touched.length === 0 ? {} : chaosMark(chaos.seed, touched);
}

/** The signature that an attempt carries. */
export function signatureSent({ signature }: Delivery, mishaps: readonly DeliveryChaos[]): string {
  if (!mishaps.includes("badSignature")) return signature;
  return (signature.startsWith("0") ? "1" : "0") + signature.slice(1);
}

/** The delivery that an attempt gets past, as it begins: its wait ends with that attempt. */
export function waitingBehind({ chaos }: State, delivery: StoredDelivery): string | undefined {
  const { id, url } = delivery;
  const held = chaos?.held[url];
  if (chaos === undefined || held === undefined) return undefined;
  // One that waited itself was sent before: it gets past nobody.
  if (held !== id && delivery.chaos?.touched.includes("reorder")) return undefined;
  // At once, not when the attempt ends: how long a receiver takes must not decide what comes next.
  delete chaos.held[url];
  // Its own time has come: nothing got past it.
  return held === id ? undefined : held;
}

/** Ends a delivery's wait. Gives whether it had not ended by itself. */
export const endWait = ({ timers }: State, waiting: string): boolean =>
  dropTimer(timers, (task) => task.kind === "deliver" && task.delivery === waiting);
