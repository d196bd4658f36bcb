import type { KeyKind } from "../contract/keys.ts";
import type { Clock } from "./clock.ts";
import type { Deliveries } from "./deliveries/deliveries.ts";
import type { Chaos } from "./faults/chaos.ts";
import type { Faults } from "./faults/faults.ts";
import type { Activity } from "./observe/activity.ts";
import type { Phone } from "./payments/phone.ts";
import type { KeyOptions } from "./state/state.ts";

/** The first argument of `fetch`. */
export type FetchInput = Request | string | URL;

/** The options of `sandbox.serve`. */
export interface ServeOptions {
  /**
   * The port to listen on; 0 takes any free port.
   * @default 4010
   */
  port?: number | undefined;
  /**
   * The address to listen on. Set it to `0.0.0.0` in a container, so that other containers can call
   * the service. Everybody who can reach the port can then use it.
   * @default "127.0.0.1"
   */
  host?: string | undefined;
  /**
   * Origins whose pages may call the service, beside pages of this machine. Set it if your frontend
   * runs under another name, such as `https://shop.example`.
   * @default none
   */
  cors?: readonly string[] | undefined;
  /**
   * Host names under which requests may come, beside `localhost`, IP addresses and names without a dot.
   * Set it if other machines reach the sandbox under a full name, such as `gateway.shop.example`.
   * @default none: the name of a website could be made to lead to this machine
   */
  allowedHosts?: readonly string[] | undefined;
  /**
   * The command that starts this sandbox. Its page shows it after the sandbox has stopped. Set it if your
   * program has a command, such as `npm run sandbox`.
   * @default none: the page asks you to start your program again
   */
  command?: string | undefined;
}

/** A sandbox on real HTTP. */
export interface ServedSandbox {
  /** `http://127.0.0.1:4010`. */
  readonly url: string;
  /** What to give to a client as its base URL: `url` and the path prefix. */
  readonly baseUrl: string;
  readonly port: number;
  /** Stops listening and ends open connections. */
  close(): Promise<void>;
}

/** The whole state of a sandbox as JSON, clock and pending timers included: for `sandbox.restore`. */
export type SandboxSnapshot = { readonly version: 1 } & Readonly<Record<string, unknown>>;

/** A whole gateway. See {@link createSandbox}. */
export interface Sandbox {
  /**
   * The gateway as one function: `new Gateway({ fetch: sandbox.fetch })`. It never leaves the process.
   *
   * @throws {TypeError} for an address that is not below `baseUrl`.
   */
  readonly fetch: (input: FetchInput, init?: RequestInit) => Promise<Response>;
  /** The base URL that `fetch` serves. */
  readonly baseUrl: string;
  /** One key of each kind, with every scope of its kind. */
  readonly keys: Readonly<Record<KeyKind, string>>;
  /** The secret that signs deliveries. */
  readonly webhookSecret: string;
  /**
   * The secret that signs deliveries, then earlier and later ones. There is more than one secret only after
   * `chaos({ rotateSecret })`.
   */
  readonly webhookSecrets: readonly string[];
  readonly clock: Clock;
  readonly deliveries: Deliveries;
  readonly faults: Faults;
  /** Injects random faults at given rates. See {@link Chaos}. */
  readonly chaos: Chaos;
  /**
   * Makes a key. Set `scopes` to test how your code handles a 403; `[]` makes a key that may do
   * nothing.
   *
   * @throws {ConfigurationError} for a scope that a key of this kind may not have.
   */
  createKey(options: KeyOptions): string;
  /**
   * Revokes a key: from now on it gets 401. Returns a new key of the same kind and scopes, which takes
   * its place in `keys`. Use it to test what your code does when its key stops working.
   *
   * @throws {ConfigurationError} for a key that does not exist.
   *
   * @example
   * ```ts
   * const apiKey = sandbox.revokeKey(sandbox.keys.secret);
   * ```
   */
  revokeKey(key: string): string;
  /**
   * The phone of a customer, by its number in any usual notation. A number of another country than that of the
   * sandbox needs its code.
   *
   * @throws {ConfigurationError} for anything but the number of a mobile phone.
   */
  phone(number: string): Phone;
  /**
   * Calls a listener soon after each change: with the payments that are new or reached a final
   * status, and the deliveries with a new attempt. Both lists are empty for any other change.
   *
   * @returns A function that ends it.
   */
  watch(listener: (activity: Activity) => void): () => void;
  /** Returns to the first state: clock, keys, phones, faults, log and random sequence. */
  reset(): void;
  /** The whole state as JSON, clock and pending timers included. */
  snapshot(): SandboxSnapshot;
  /**
   * Replaces the state by that of a snapshot, of this or another sandbox.
   *
   * @throws {ConfigurationError} for a value that is not a snapshot, or is damaged.
   */
  restore(snapshot: SandboxSnapshot): void;
  /**
   * Serves the same gateway, and a page to drive it, over HTTP on 127.0.0.1. Needs Node.
   *
   * Only programs and pages of this machine can use it. The page and the control API stay so,
   * whatever `host` is.
   *
   * @throws {ConfigurationError} for a port that is in use, and where there is no `node:http`.
   */
  serve(options?: ServeOptions): Promise<ServedSandbox>;
}
