import { withTimeout } from "../../../internal/timeout.ts";
import { secretList, type WebhookSecret } from "../../verification/secret.ts";

/** What a lookup found. */
export interface Found {
  /** None for an unknown merchant. */
  readonly secrets: readonly WebhookSecret[];
  /** When it was looked up. */
  readonly at: number;
  /** When it was last looked up, or tried to, because a signature did not match. */
  checkedAt: number;
}

/** Returns the secret of a merchant, or none. */
export type SecretLookup = (merchant: string) => unknown;

const TIMEOUT_MS = 5_000;

/**
 * How long a lookup that did not help is not made again: of an unknown merchant, or of a secret
 * that did not match. Forged requests make no more lookups than that.
 */
const RETRY_LOOKUP_MS = 10_000;

/** How many merchants are remembered. Unknown ones must not push out the others. */
const MAX_KNOWN = 20_000;
const MAX_UNKNOWN = 1_000;

/** Forged requests must not open a connection to your database for each name that they invent. */
const MAX_LOOKUPS = 100;

/** How many lookups of unknown names are made: this many at once, then this many a second. */
const UNKNOWN_AT_ONCE = 600;
const UNKNOWN_PER_SECOND = 10;

// Unlike the wall clock, this one cannot be set.
const now = () => performance.now();

function remember(entries: Map<string, Found>, merchant: string, found: Found, max: number): void {
  // Deleted first, so that the first entry is the one that was looked up first.
  entries.delete(merchant);
  entries.set(merchant, found);
  if (entries.size > max) entries.delete(entries.keys().next().value as string);
}

/** Remembers the secrets of merchants. Lookups of one merchant at the same time are one call. */
export class SecretCache {
  readonly #lookup: SecretLookup;
  readonly #maxAgeMs: number;
  readonly #known = new Map<string, Found>();
  readonly #unknown = new Map<string, Found>();
  readonly #pending = new Map<string, Promise<Found>>();
  #unknownLeft = UNKNOWN_AT_ONCE;
  #refilledAt = now();

  /** @param maxAgeMs - How long a secret is used before it is looked up again. */
  constructor(lookup: SecretLookup, maxAgeMs: number) {
    this.#lookup = lookup;
    this.#maxAgeMs = maxAgeMs;
  }

  /** What is remembered of a merchant; `undefined` if it must be looked up. */
  peek(merchant: string): Found | undefined {
    const known = this.#known.get(merchant);
    if (known !== undefined) return now() - known.at < this.#maxAgeMs ? known : undefined;
    const unknown = this.#unknown.get(merchant);
    return unknown && now() - unknown.at < RETRY_LOOKUP_MS ? unknown : undefined;
  }

  /** Rejects if the lookup fails or takes too long, and if there are too many lookups. */
  async lookUp(merchant: string): Promise<Found> {
    const running = this.#pending.get(merchant);
    if (running !== undefined) return running;
    this.#checkLimits(merchant);
    const started = this.#find(merchant).finally(() => this.#pending.delete(merchant));
    this.#pending.set(merchant, started);
    return started;
  }

  /**
   * Looks a merchant up again whose secret did not match: it may have been rotated. `undefined` if
   * that was done a moment ago.
   */
  async lookUpRotated(merchant: string, found: Found): Promise<Found | undefined> {
    const running = this.#pending.get(merchant);
    if (running !== undefined) return running;
    if (now() - found.checkedAt < RETRY_LOOKUP_MS) return undefined;
    // Set before, so that a store that fails is not asked again by every forged request.
    found.checkedAt = now();
    return this.lookUp(merchant);
  }

  #checkLimits(merchant: string): void {
    if (this.#pending.size >= MAX_LOOKUPS) {
      throw new Error(`More than ${MAX_LOOKUPS} secrets are being looked up at the same time.`);
    }
    const refill = ((now() - this.#refilledAt) / 1_000) * UNKNOWN_PER_SECOND;
    this.#unknownLeft = Math.min(UNKNOWN_AT_ONCE, this.#unknownLeft + refill);
    this.#refilledAt = now();
    if (this.#unknownLeft >= 1 || this.#known.has(merchant)) return;
    throw new Error(
      `More than ${UNKNOWN_AT_ONCE} requests named merchants without a secret: further names are looked up ${UNKNOWN_PER_SECOND} times a second.`,
    );
  }

  async #find(merchant: string): Promise<Found> {
    // In a promise, since the lookup may throw before it returns one.
    const given = Promise.resolve().then(() => this.#lookup(merchant));
    const secret = await withTimeout(
      given,
      TIMEOUT_MS,
      () => new Error(`The lookup of a secret took longer than ${TIMEOUT_MS} ms.`),
    );
    const isUnknown = secret === undefined || secret === null;
    const secrets = isUnknown ? [] : secretList(secret);
    const found: Found = { secrets, at: now(), checkedAt: now() };
    (isUnknown ? this.#known : this.#unknown).delete(merchant);
    if (isUnknown) this.#unknownLeft--;
    if (isUnknown) remember(this.#unknown, merchant, found, MAX_UNKNOWN);
    else remember(this.#known, merchant, found, MAX_KNOWN);
    return found;
  }
}
