import type { Delivery, DeliveryChaos } from "../state/records.ts";
import type { State, StoredChaos, StoredDelivery } from "../state/stored.ts";
import { chaosHeaders, randomFor, shouldInject } from "./chaos.ts";

const STALE_MS = 24 * 3_600_000;
const MAX_DELAY_MS = 60_000;
/** How long a delivery waits to be overtaken. */
const REORDER_WAIT_MS = 10_000;

const NO_FAULTS = { chaos: undefined, olderMs: 0, waitMs: 0 };

/**
 * Chooses the faults of a new delivery. Rotates the secret if that is one of them.
 *
 * @returns also how much older the timestamp in the body is, and how long the first attempt waits.
 */
export function planDelivery(state: State, id: string, url: string) {
  const { chaos } = state;
  if (chaos === undefined) return NO_FAULTS;
  const faults: DeliveryChaos[] = [];
  const inject = (name: DeliveryChaos) => {
    const isInjected = shouldInject(chaos, name, id);
    if (isInjected) faults.push(name);
    return isInjected;
  };
  if (chaos.nextSecret !== undefined && inject("rotateSecret")) rotateSecret(state);
  const olderMs = inject("staleTimestamp") ? STALE_MS : 0;
  const waitMs = chooseWait(chaos, id, url, inject);
  if (faults.length === 0) return NO_FAULTS;
  return { chaos: { seed: chaos.seed, faults }, olderMs, waitMs };
}

function chooseWait(
  chaos: StoredChaos,
  id: string,
  url: string,
  inject: (name: DeliveryChaos) => boolean,
): number {
  // Only one delivery to an address waits at a time: the next one overtakes it.
  if (chaos.held[url] === undefined && inject("reorder")) {
    chaos.held[url] = id;
    return REORDER_WAIT_MS;
  }
  if (!inject("delay")) return 0;
  return Math.max(Math.round(randomFor(chaos, "delay by", id) * MAX_DELAY_MS), 1);
}

function rotateSecret(state: State): void {
  const { chaos, webhookSecret, otherSecrets = [] } = state;
  if (chaos?.nextSecret === undefined) return;
  state.otherSecrets = [webhookSecret, ...otherSecrets.filter((one) => one !== chaos.nextSecret)];
  state.webhookSecret = chaos.nextSecret;
  delete chaos.nextSecret;
}

/** The faults of one attempt. All others are faults of the whole delivery. */
const ATTEMPT_FAULTS: readonly DeliveryChaos[] = ["duplicate", "drop", "badSignature"];

/** Chooses the faults of the next scheduled attempt, and records them in the delivery. */
export function attemptFaults({ chaos }: State, delivery: StoredDelivery): DeliveryChaos[] {
  if (chaos === undefined) return [];
  const key = `${delivery.id} ${delivery.tries}`;
  const faults = ATTEMPT_FAULTS.filter((name) => shouldInject(chaos, name, key));
  if (faults.length > 0) {
    const all = new Set([...(delivery.chaos?.faults ?? []), ...faults]);
    delivery.chaos = { seed: chaos.seed, faults: [...all] };
  }
  return faults;
}

export function attemptHeaders(
  { chaos }: Delivery,
  faults: readonly DeliveryChaos[],
): Record<string, string> {
  if (chaos === undefined) return {};
  const ofDelivery = chaos.faults.filter((name) => !ATTEMPT_FAULTS.includes(name));
  const all = [...ofDelivery, ...faults];
  return all.length === 0 ? {} : chaosHeaders(chaos.seed, all);
}

export function attemptSignature(
  { signature }: Delivery,
  faults: readonly DeliveryChaos[],
): string {
  if (!faults.includes("badSignature")) return signature;
  return (signature.startsWith("0") ? "1" : "0") + signature.slice(1);
}

/**
 * Ends the hold on an address when an attempt begins. Returns the delivery that this attempt
 * overtakes, which is to be sent after it.
 */
export function takeOvertaken({ chaos }: State, delivery: StoredDelivery): string | undefined {
  const { id, url } = delivery;
  const held = chaos?.held[url];
  if (chaos === undefined || held === undefined) return undefined;
  // A delivery that was held itself was queued earlier: it overtakes nothing.
  if (held !== id && delivery.chaos?.faults.includes("reorder")) return undefined;
  // Now, not when the attempt ends: how long a receiver takes must not decide what comes next.
  delete chaos.held[url];
  // If it is the held one, its wait ended before anything overtook it.
  return held === id ? undefined : held;
}
