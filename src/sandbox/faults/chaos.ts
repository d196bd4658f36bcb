import { ConfigurationError } from "../../errors/configuration.ts";
import { nextName, nextRandom, seedRandom } from "../state/random.ts";
import type { ChaosName, StoredChaos } from "../state/records.ts";
import type { State } from "../state/state.ts";
import { checkFields } from "./faults.ts";

/**
 * How often what goes wrong: rates from 0 (never, as where one is left out) to 1 (always).
 *
 * What befalls a call or a delivery hangs on the seed and on its own place in the run alone: not on
 * the other rates, nor on how long a receiver takes.
 */
export interface ChaosOptions {
  /** The same seed and the same calls meet the same mishaps. @default the sandbox's own seed */
  seed?: string | number | undefined;
  /** A delivery is sent twice, both at once. */
  duplicate?: number | undefined;
  /** A delivery goes out behind the next one to its address, or after 10 s where none comes. */
  reorder?: number | undefined;
  /** A delivery goes out up to a minute late. */
  delay?: number | undefined;
  /** An attempt is lost on its way. The retry schedule goes on; at 1, nothing ever arrives. */
  drop?: number | undefined;
  /** An attempt carries a wrong signature. A receiver that answers it with 200 has a hole. */
  badSignature?: number | undefined;
  /** A delivery's body says that it happened a day ago, at every attempt, and is rightly signed. */
  staleTimestamp?: number | undefined;
  /**
   * From some delivery on, a new secret signs: once a run. `sandbox.webhookSecrets` lists it from the
   * start of the chaos, so that a receiver that was given them all passes.
   */
  rotateSecret?: number | undefined;
  /** The service answers 429, 500, 502, 503 or 504, and does nothing. */
  apiErrors?: number | undefined;
  /** The service does what it was asked, and the connection is reset before the answer. */
  lostResponses?: number | undefined;
}

export const CHAOS_NAMES: readonly ChaosName[] = [
  "duplicate",
  "reorder",
  "delay",
  "drop",
  "badSignature",
  "staleTimestamp",
  "rotateSecret",
  "apiErrors",
  "lostResponses",
];

/** Chaos on demand. */
export interface Chaos {
  /**
   * Lets things go wrong at the given rates, in the place of earlier ones, until told otherwise:
   * `chaos({})` ends it. What is touched carries the headers `x-sandbox-fault` and
   * `x-sandbox-chaos-seed`, and says so in `deliveries.all()`.
   *
   * @throws {ConfigurationError} for a wrong name or rate.
   *
   * @example
   * ```ts
   * sandbox.chaos({ seed: 42, duplicate: 0.3, reorder: 0.3, lostResponses: 0.1 });
   * ```
   */
  (options?: ChaosOptions): { readonly seed: string };
  /**
   * Chaos while something runs. Where it fails, the error names the seed that brings the same again.
   *
   * @throws {ConfigurationError} for a wrong name or rate.
   * @throws {Error} where it fails: the `cause` is what it threw.
   */
  <T>(options: ChaosOptions, run: () => T): Promise<Awaited<T>>;
}

function checkRates(options: ChaosOptions): StoredChaos["rates"] {
  checkFields(options, ["seed", ...CHAOS_NAMES], "Chaos");
  const rates: { [Name in ChaosName]?: number } = {};
  for (const name of CHAOS_NAMES) {
    const { [name]: rate = 0 } = options;
    if (!(typeof rate === "number" && rate >= 0 && rate <= 1)) {
      const shown = typeof rate === "number" ? rate : (JSON.stringify(rate) ?? typeof rate);
      throw new ConfigurationError(
        `The chaos rate "${name}" is ${shown}. It takes 0 (never) to 1 (always).`,
      );
    }
    if (rate > 0) rates[name] = rate;
  }
  return rates;
}

/** Begins chaos, in the place of what there was; without a rate above 0, ends it. Gives its seed. */
function begin(state: State, sandboxSeed: string, options: ChaosOptions): { seed: string } {
  const rates = checkRates(options);
  const { seed: given = sandboxSeed } = options;
  if (typeof given !== "string" && typeof given !== "number") {
    throw new ConfigurationError(`A chaos seed is a string or a number, not ${typeof given}.`);
  }
  const seed = String(given);
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

/** A number from 0 to below 1 that is always the same for the same thing in the same run. */
export const luck = ({ seed }: StoredChaos, what: string, key: string): number =>
  nextRandom(seedRandom(JSON.stringify([seed, what, key])));

/** Whether a mishap befalls this one. */
export const strikes = (chaos: StoredChaos, name: ChaosName, key: string): boolean =>
  luck(chaos, name, key) < (chaos.rates[name] ?? 0);

/** The headers that a touched answer or delivery carries. The seed is percent-encoded. */
export const chaosMark = (seed: string, touched: readonly string[]): Record<string, string> => ({
  "x-sandbox-fault": touched.join(", "),
  // Half a pair of surrogates has no encoding.
  "x-sandbox-chaos-seed": encodeURIComponent(seed.replace(/\p{Cs}/gu, "\ufffd")),
});

/**
 * @param sandboxSeed - The seed of chaos that is given none.
 * @param changed - To be told of every change.
 */
export function createChaos(state: () => State, sandboxSeed: string, changed: () => void): Chaos {
  function chaos(options?: ChaosOptions): { readonly seed: string };
  function chaos<T>(options: ChaosOptions, run: () => T): Promise<Awaited<T>>;
  function chaos<T>(options: ChaosOptions = {}, run?: () => T) {
    const begun = begin(state(), sandboxSeed, options);
    changed();
    return run === undefined ? begun : under(begun.seed, run);
  }

  async function under<T>(seed: string, run: () => T): Promise<Awaited<T>> {
    try {
      return await run();
    } catch (cause) {
      const { message = String(cause) } = Object(cause) as { message?: unknown };
      const again = `Under chaos with the seed ${JSON.stringify(seed)}, which brings the same again`;
      throw new Error(`${again}: ${String(message)}`, { cause });
    } finally {
      delete state().chaos;
      changed();
    }
  }

  return chaos;
}
