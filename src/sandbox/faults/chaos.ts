import { ownOptions, wrongOption } from "../../internal/check-options.ts";
import { describeError } from "../../internal/describe-error.ts";
import type { SandboxState } from "../sandbox-state.ts";
import { nextName, nextRandom, seedRandom } from "../state/random.ts";
import { CHAOS_NAMES, type ChaosName } from "../state/records.ts";
import type { StoredChaos } from "../state/stored.ts";

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
export const randomFor = ({ seed }: StoredChaos, purpose: string, key: string): number =>
  nextRandom(seedRandom(JSON.stringify([seed, purpose, key])));

export const shouldInject = (chaos: StoredChaos, name: ChaosName, key: string): boolean =>
  randomFor(chaos, name, key) < (chaos.rates[name] ?? 0);

/** The headers that name the faults of a response or a delivery. The seed is percent-encoded. */
export const chaosHeaders = (seed: string, names: readonly string[]): Record<string, string> => ({
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
