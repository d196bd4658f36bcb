import { type CountryCode, countryWith } from "../../contract/countries.ts";
import { ENDPOINTS, type Endpoint, type Scope } from "../../contract/endpoints.ts";
import {
  isNetworkKey,
  KEY_PREFIXES,
  type KeyKind,
  NETWORK_KEY_PREFIX,
} from "../../contract/keys.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { checkChoice, checkOptions, type OptionRows } from "../../internal/check-options.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { nextName, type RandomState, seedRandom } from "./random.ts";
import type { State, StoredPhone } from "./stored.ts";

/** The merchant whose gateway the sandbox is: "the example shop" in Swahili. */
export const MERCHANT = { merchant_id: 1, name: "Duka la Mfano" } as const;

/** The merchant, with the country of the sandbox and its currency. */
export const merchantOf = ({ country }: { readonly country: CountryCode }) => ({
  ...MERCHANT,
  country,
  currency: countryWith(country)?.currency ?? "",
});

/** Those of the endpoints that accept a key of this kind. */
function allowedScopes(kind: KeyKind): Scope[] {
  const endpoints: Endpoint[] = Object.values(ENDPOINTS);
  const scopes = endpoints.filter(({ keys }) => keys.includes(kind)).map(({ scope }) => scope);
  return [...new Set(scopes)].filter((scope) => scope !== undefined);
}

/** Keys of a sandbox say what they are for: a test network has a mark of its own. */
const newKey = (random: RandomState, kind: KeyKind, inTestNetwork: boolean): string => {
  const isNetwork = inTestNetwork && kind === "sandbox";
  const prefix = isNetwork ? NETWORK_KEY_PREFIX : `${KEY_PREFIXES[kind]}sandbox_`;
  return prefix + nextName(random, "token", 24);
};

/** What a key is made of. */
export interface KeyOptions {
  readonly kind: KeyKind;
  /** What the key may do; `[]` is nothing. @default every scope that its kind may have */
  readonly scopes?: readonly Scope[] | undefined;
}

const KEY_OPTIONS = {
  kind: (kind) => checkChoice("kind", kind, Object.keys(KEY_PREFIXES)),
  /** Checked with `kind`. */
  scopes: (scopes) => scopes,
} satisfies OptionRows<KeyOptions>;

/** @throws {ConfigurationError} for an unknown kind, or a scope that the kind may not have. */
export function createKey(state: State, options: KeyOptions, inTestNetwork: boolean): string {
  const { kind, scopes } = checkOptions(options, KEY_OPTIONS, "createKey()");
  const allowed = allowedScopes(kind);
  const wrong = scopes?.find((scope) => !allowed.includes(scope));
  if (wrong !== undefined) {
    throw new ConfigurationError(
      `A ${kind} key cannot have the scope "${wrong}". Its scopes can be: ${allowed.join(", ")}.`,
    );
  }
  const key = newKey(state.random, kind, inTestNetwork);
  state.keys[key] = { kind, scopes: [...(scopes ?? allowed)] };
  return key;
}

/**
 * Revokes a key, and makes another one of the same kind and scopes.
 *
 * @throws {ConfigurationError} for a key that does not exist. It may be a real one, so it is not quoted.
 */
export function revokeKey(state: State, key: string, inTestNetwork: boolean): string {
  const stored = Object.hasOwn(state.keys, key) ? state.keys[key] : undefined;
  if (stored === undefined) {
    throw new ConfigurationError(
      "The key to revoke is not a key of this sandbox. `sandbox.keys` and `malipo env` show its keys.",
    );
  }
  delete state.keys[key];
  const next = newKey(state.random, stored.kind, inTestNetwork);
  state.keys[next] = stored;
  if (state.builtIn[stored.kind] === key) state.builtIn[stored.kind] = next;
  return next;
}

/** The state of a sandbox in which nothing has happened yet, without its signing secret. */
export function initialState(seed: string, now: number, inTestNetwork: boolean): State {
  const state: State = {
    version: 1,
    now,
    startedAt: now,
    timers: [],
    nextTurn: 0,
    random: seedRandom(seed),
    nextId: 1,
    nextInvoice: 1,
    keys: {},
    builtIn: { public: "", secret: "", sandbox: "" },
    webhookSecret: "",
    phones: {},
    payments: [],
    invoices: [],
    webhooks: [],
    deliveries: [],
    faults: [],
  };
  for (const kind of ["public", "secret", "sandbox"] as const) {
    state.builtIn[kind] = createKey(state, { kind }, inTestNetwork);
  }
  return state;
}

/** A state that was saved before its sandbox was in a test network has no key of one. Its old key stays valid. */
export function addNetworkKey(state: State): void {
  if (isNetworkKey(state.builtIn.sandbox)) return;
  state.builtIn.sandbox = createKey(state, { kind: "sandbox" }, true);
}

export const newPhone = (): StoredPhone => ({ balanceCents: ASSUMPTIONS.balance.value, on: true });
