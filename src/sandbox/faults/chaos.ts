import { ownOptions, wrongOption } from "../../internal/check-options.ts";
import { describeError } from "../../internal/describe-error.ts";
import { DAY_MS } from "../../internal/units.ts";
import type { SandboxState } from "../sandbox-state.ts";
import { nextName, nextRandom, seedRandom } from "../state/random.ts";
import {
  CHAOS_NAMES,
  type ChaosName,
  type Delivery,
  type DeliveryChaos,
  type FaultEffect,
} from "../state/sandbox-records.ts";
import type { State, StoredChaos, StoredDelivery } from "../state/stored.ts";

/**
 * How often each fault is injected: rates from 0 (never, the default) to 1 (always).
 *
 * Whether a request or a delivery gets a fault depends only on the seed and on its own position in the
 * run: not on the other rates, and not on how long a receiver takes.
 */
export interface ChaosOptions {
  /** The same seed and the same calls give the same faults. @default the sandbox's own seed */
  seed?: string | number | undefined;
  /** A delivery is sent twice at the same time. */
  duplicate?: number | undefined;
  /** A delivery is sent after the next one to its address, or after 10 s if none comes. */
  reorder?: number | undefined;
  /** A delivery is sent up to a minute late. */
  delay?: number | undefined;
  /** An attempt is lost. The retry schedule goes on; at 1, no delivery ever arrives. */
  drop?: number | undefined;
  /** An attempt carries a wrong signature. A receiver that returns 200 for it is not safe. */
  badSignature?: number | undefined;
  /** A delivery's body has a timestamp one day ago, in every attempt, with a correct signature. */
  staleTimestamp?: number | undefined;
  /**
   * From some delivery on, a new secret signs: once a run. `sandbox.webhookSecrets` lists it from the
   * start, so a receiver that was given all of them accepts every delivery.
   */
  rotateSecret?: number | undefined;
  /** The service returns 429, 500, 502, 503 or 504, and does nothing. */
  apiErrors?: number | undefined;
  /** The service does what was asked, and the connection is reset before the response. */
  lostResponses?: number | undefined;
}

/** Random faults on demand. */
export interface Chaos {
  /**
   * Injects random faults at the given rates from now on. They replace earlier rates; `chaos({})` ends
   * it. A request or a delivery with a fault carries the headers `x-sandbox-fault` and
   * `x-sandbox-chaos-seed`, and `deliveries.all()` lists its faults.
   *
   * @throws {ConfigurationError} for an unknown name or a wrong rate.
   *
   * @example
   * ```ts
   * sandbox.chaos({ seed: 42, duplicate: 0.3, reorder: 0.3, lostResponses: 0.1 });
   * ```
   */
  (options?: ChaosOptions): { readonly seed: string };
  /**
   * Injects random faults while a function runs. If it fails, the error names the seed that repeats
   * the same faults.
   *
   * @throws {ConfigurationError} for an unknown name or a wrong rate.
   * @throws {Error} if the function fails. What it threw is the `cause`.
   */
  <T>(options: ChaosOptions, run: () => T): Promise<Awaited<T>>;
}

function checkRates(options: ChaosOptions): StoredChaos["rates"] {
  const rates: { [Name in ChaosName]?: number } = {};
  for (const name of CHAOS_NAMES) {
    const { [name]: rate = 0 } = options;
    if (!(typeof rate === "number" && rate >= 0 && rate <= 1)) {
      throw wrongOption(name, "a rate from 0 (never) to 1 (always)", rate);
    }
    if (rate > 0) rates[name] = rate;
  }
  return rates;
}

function checkSeed(seed: unknown): string {
  if (typeof seed === "string" || typeof seed === "number") return String(seed);
  throw wrongOption("seed", "a string or a number", seed);
}

/** Replaces earlier chaos; without a rate above 0, ends it. */
function startChaos({ state, settings }: SandboxState, given: ChaosOptions): { seed: string } {
  const options = ownOptions(given, ["seed", ...CHAOS_NAMES], "chaos()");
  const rates = checkRates(options);
  const seed = checkSeed(options.seed === undefined ? settings.seed : options.seed);
  delete state.chaos;
  if (Object.keys(rates).length === 0) return { seed };
  state.chaos = { seed, rates, calls: 0, held: {} };
  if (rates.rotateSecret !== undefined) {
    const random = seedRandom(JSON.stringify([seed, "secret", state.webhookSecret]));
    state.chaos.nextSecret = `whsec_${nextName(random, "token", 32)}`;
    state.otherSecrets = [...new Set([state.chaos.nextSecret, ...(state.otherSecrets ?? [])])];
  }
  return { seed };
}

/**
 * A number from 0 to below 1, always the same for the same purpose and key under the same seed.
 *
 * @param purpose - What the number decides, such as the name of a fault.
 * @param key - Which request or delivery it is for.
 */
const randomFor = ({ seed }: StoredChaos, purpose: string, key: string): number =>
  nextRandom(seedRandom(JSON.stringify([seed, purpose, key])));

const shouldInject = (chaos: StoredChaos, name: ChaosName, key: string): boolean =>
  randomFor(chaos, name, key) < (chaos.rates[name] ?? 0);

/** The headers that name the faults of a response or a delivery. The seed is percent-encoded. */
const chaosHeaders = (seed: string, names: readonly string[]): Record<string, string> => ({
  "x-sandbox-fault": names.join(", "),
  // A lone surrogate cannot be percent-encoded.
  "x-sandbox-chaos-seed": encodeURIComponent(seed.replace(/\p{Cs}/gu, "\ufffd")),
});

export function createChaos(sandboxState: SandboxState): Chaos {
  function chaos(options?: ChaosOptions): { readonly seed: string };
  function chaos<T>(options: ChaosOptions, run: () => T): Promise<Awaited<T>>;
  function chaos<T>(options: ChaosOptions = {}, run?: () => T) {
    const started = startChaos(sandboxState, options);
    sandboxState.changed();
    return run === undefined ? started : runUnderChaos(started.seed, run);
  }

  async function runUnderChaos<T>(seed: string, run: () => T): Promise<Awaited<T>> {
    try {
      return await run();
    } catch (cause) {
      throw new Error(
        `This failed under chaos with the seed ${JSON.stringify(seed)}, which repeats the same faults: ${describeError(cause)}`,
        { cause },
      );
    } finally {
      delete sandboxState.state.chaos;
      sandboxState.changed();
    }
  }

  return chaos;
}

const STATUSES = [429, 500, 502, 503, 504] as const;

/** The statuses that a proxy in front of the service returns, as HTML. The service returns the others. */
const PROXY_STATUSES: readonly number[] = [502, 504];

/** The fault that chaos injects into the next API request, if any, and the headers that name it. */
export function chaosRequestFault({ chaos }: State) {
  if (chaos === undefined) return undefined;
  const key = String(chaos.calls++);
  const fault = (name: ChaosName, effect: FaultEffect) => ({
    effect,
    headers: chaosHeaders(chaos.seed, [name]),
  });
  if (shouldInject(chaos, "apiErrors", key)) return fault("apiErrors", randomStatus(chaos, key));
  if (!shouldInject(chaos, "lostResponses", key)) return undefined;
  return fault("lostResponses", { kind: "lostResponse" });
}

function randomStatus(chaos: StoredChaos, key: string): FaultEffect {
  const index = Math.floor(randomFor(chaos, "status", key) * STATUSES.length);
  const status = STATUSES[index] ?? 500;
  const message = `Chaos returned ${status}. Its seed is ${JSON.stringify(chaos.seed)}.`;
  if (!PROXY_STATUSES.includes(status)) {
    return { kind: "status", status, body: { success: false, error: message } };
  }
  return {
    kind: "status",
    status,
    headers: { "content-type": "text/html" },
    body: `<html><body>${escapeHtml(message)}</body></html>`,
  };
}

const escapeHtml = (text: string) =>
  text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);

const STALE_MS = DAY_MS;
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
