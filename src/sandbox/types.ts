import type { Scope } from "../contract/endpoints.ts";
import type { KeyKind } from "../contract/keys.ts";
import type { Clock } from "./clock/clock.ts";
import type { Deliveries } from "./deliveries/deliveries.ts";
import type { Chaos } from "./faults/chaos.ts";
import type { Faults } from "./faults/faults.ts";
import type { Activity } from "./observe/activity.ts";
import type { Phone } from "./payments/phone.ts";

/** What `fetch` takes. */
export type FetchInput = Request | string | URL;

/** A sandbox on real HTTP. */
export interface ServedSandbox {
  /** `http://127.0.0.1:4010`. */
  readonly url: string;
  /** What a client takes: `url` and the path prefix. */
  readonly baseUrl: string;
  readonly port: number;
  /** Stops listening and ends open connections. */
  close(): Promise<void>;
}

/** A world as JSON, clock and pending timers in it: for `sandbox.restore`. */
export type SandboxSnapshot = { readonly version: 1 } & Readonly<Record<string, unknown>>;

/** A whole gateway. See {@link createSandbox}. */
export interface Sandbox {
  /** The gateway as one function: hand it to `new Gateway({ fetch: sandbox.fetch })`. */
  readonly fetch: (input: FetchInput, init?: RequestInit) => Promise<Response>;
  /** What `fetch` answers for. */
  readonly baseUrl: string;
  /** One key of each kind, with every scope of its kind. */
  readonly keys: Readonly<Record<KeyKind, string>>;
  /** What signs deliveries. */
  readonly webhookSecret: string;
  /** What signs deliveries, then what did before or will: more than one only where chaos rotates it. */
  readonly webhookSecrets: readonly string[];
  readonly clock: Clock;
  readonly deliveries: Deliveries;
  readonly faults: Faults;
  /** Lets things go wrong at given rates. See {@link Chaos}. */
  readonly chaos: Chaos;
  /**
   * Makes a key.
   *
   * @throws {ConfigurationError} for a scope that its kind may not hold.
   */
  createKey(key: { kind: KeyKind; scopes?: readonly Scope[] | undefined }): string;
  /** The phone of a number, in any usual way of writing it. */
  phone(number: string): Phone;
  /**
   * Tells what happens from now on, soon after it happened: payments that are new or settled,
   * deliveries with a new attempt; both empty for a change of another kind. Gives what ends it.
   */
  watch(listener: (activity: Activity) => void): () => void;
  /** Back to the first state: clock, keys, phones, faults, log and random sequence. */
  reset(): void;
  /** The whole world as JSON, clock and pending timers included. */
  snapshot(): SandboxSnapshot;
  /** Takes the state of a snapshot, of this or another sandbox. */
  restore(snapshot: SandboxSnapshot): void;
  /** Puts the same gateway on real HTTP, on loopback. @default port 4010; 0 takes any that is free */
  serve(options?: { port?: number | undefined }): Promise<ServedSandbox>;
}
