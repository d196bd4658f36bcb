import type { CountryCode } from "../contract/countries.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import {
  checkChoice,
  checkFunction,
  checkMilliseconds,
  checkOptions,
  type OptionRows,
  optional,
  wrongOption,
} from "../internal/check-options.ts";
import { checkCountry, KENYA } from "../phones/phone-number.ts";
import { parseProfile } from "../profile/parse-profile.ts";
import type { ProfileFile } from "../profile/profile-types.ts";
import { ASSUMPTIONS } from "./assumptions.ts";
import { VIRTUAL_START } from "./clock.ts";

/** Sends a delivery, as `fetch` does. */
export type Deliver = (request: Request) => Promise<Response>;

/** The options of {@link createSandbox}. */
export interface SandboxOptions {
  /**
   * The same seed and the same calls give the same transcript, ids and secrets included. Set another
   * seed for a sandbox with other ids and keys.
   * @default "malipo"
   */
  seed?: string | number | undefined;
  /**
   * Virtual time stands still until `clock.advance`, so a test never waits. Real time runs by itself:
   * set it for a sandbox that a person uses.
   * @default "virtual"
   */
  clock?: "virtual" | "real" | undefined;
  /**
   * When virtual time begins. Set it to now, `new Date()`, if a receiver stores its events in SQLite,
   * Redis or PostgreSQL: such an inbox takes events that were signed long ago for replays, and does not
   * process them.
   * @default 2026-01-01T09:00:00+03:00, so that a transcript is the same on every day
   */
  startAt?: Date | undefined;
  /**
   * Which prompts are answered automatically, 3 s after they were sent: `magic` those of numbers that
   * end in one of `MAGIC_SUFFIXES`, `approve` all of them, `none` none of them.
   * @default "magic"
   */
  auto?: "magic" | "approve" | "none" | undefined;
  /**
   * The smallest and the largest amount of a payment or an invoice. Set them to the limits of your
   * own account.
   * @default 1 to 250,000
   */
  limits?: { minAmount?: number | undefined; maxAmount?: number | undefined } | undefined;
  /**
   * The country of the merchant (ISO 3166-1): numbers without their country code are read as its own, and amounts are in
   * its currency. Set it if you sell in another country. Numbers of other countries need their code.
   * @default "KE"
   */
  country?: CountryCode | undefined;
  /**
   * Makes a sandbox for other containers: its key `sandbox` starts with `sb_net_`, which a `Gateway` with `testNetwork`
   * sends unencrypted to a private name, and receivers may have a private name too, such as
   * `http://shop:3000/webhooks`. Set it together with `host` of `serve()`.
   * @default false
   */
  testNetwork?: boolean | undefined;
  /**
   * How long a webhook receiver may take to respond, in real milliseconds. Lower it in a test of a
   * slow receiver.
   * @default 5_000
   */
  deliveryTimeoutMs?: number | undefined;
  /**
   * Sends the deliveries. Set it to hand them to a receiver in the same process.
   * @default the global `fetch`
   */
  deliver?: Deliver | undefined;
  /**
   * What was learned of your service: the parsed content of `malipo.service.json`. The sandbox then
   * speaks as the service does, and what the profile does not have stays an assumption. Set it to
   * test against your own gateway's responses.
   *
   * @example
   * ```ts
   * import profile from "./malipo.service.json" with { type: "json" };
   *
   * const sandbox = createSandbox({ profile });
   * ```
   */
  profile?: ProfileFile | undefined;
}

// The global `fetch` is looked up at each delivery, so that a mock that is installed later is used.
const deliverWithFetch: Deliver = (request) => globalThis.fetch(request);

/** The options of a sandbox, checked and with their defaults. */
export type SandboxSettings = Readonly<ReturnType<typeof checkSandboxOptions>>;

const OPTIONS = {
  seed: (seed = "malipo") => String(seed),
  clock: (clock = "virtual") => checkChoice("clock", clock, ["virtual", "real"]),
  /** When virtual time begins, in milliseconds. */
  startAt: (startAt, { clock }) => checkStart(startAt, clock),
  auto: (auto = "magic") => checkChoice("auto", auto, ["magic", "approve", "none"]),
  /** In cents, so that comparisons are exact. */
  limits: (limits) => checkLimits(limits ?? {}),
  country: (country = KENYA) => checkCountry("country", country),
  testNetwork: (isOn = false) => checkChoice("testNetwork", isOn, [true, false]),
  deliveryTimeoutMs: (ms = 5_000) => checkMilliseconds("deliveryTimeoutMs", ms),
  deliver: (deliver = deliverWithFetch) => checkFunction("deliver", deliver),
  profile: (profile) => optional(profile, (given) => parseProfile(given, "`profile`")),
} satisfies OptionRows<SandboxOptions>;

/** @throws {ConfigurationError} for an unknown option or a wrong value. */
export function checkSandboxOptions(options: SandboxOptions) {
  const { startAt: startMs, ...settings } = checkOptions(options, OPTIONS, "createSandbox()");
  return { ...settings, startMs };
}

function checkStart(startAt: unknown, clock: SandboxOptions["clock"]): number {
  if (startAt === undefined) return VIRTUAL_START;
  if (clock === "real") {
    throw new ConfigurationError(
      '`startAt` is for virtual time, and `clock` is "real": real time begins now. Leave one of them out.',
    );
  }
  const ms = startAt instanceof Date ? startAt.getTime() : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw wrongOption("startAt", "a valid Date", startAt);
}

type Limits = NonNullable<SandboxOptions["limits"]>;

function checkLimit(name: keyof Limits, amount: number | undefined): number {
  const given = amount ?? ASSUMPTIONS.amountBounds.value[name];
  if (typeof given === "number" && Number.isFinite(given) && given >= 0) return given;
  throw wrongOption(`limits.${name}`, "an amount of 0 or more", given);
}

const LIMIT_OPTIONS = {
  minAmount: (amount) => checkLimit("minAmount", amount),
  maxAmount: (amount) => checkLimit("maxAmount", amount),
} satisfies OptionRows<Limits>;

function checkLimits(limits: Limits) {
  const { minAmount, maxAmount } = checkOptions(limits, LIMIT_OPTIONS, "limits");
  if (minAmount > maxAmount) {
    throw new ConfigurationError(
      `\`limits\` allow no amount: minAmount is ${minAmount} and maxAmount is ${maxAmount}. Set maxAmount to at least minAmount.`,
    );
  }
  return { minCents: Math.round(minAmount * 100), maxCents: Math.round(maxAmount * 100) };
}
