import type { KeyKind } from "../../contract/keys.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { allowedScopes, newKey } from "./keys.ts";
import { type RandomState, seedRandom } from "./random.ts";
import type {
  StoredChaos,
  StoredDelivery,
  StoredFault,
  StoredInvoice,
  StoredKey,
  StoredPayment,
  StoredPhone,
  StoredWebhook,
  Timer,
} from "./records.ts";

/** Everything that a sandbox remembers, as JSON. */
export interface State {
  version: 1;
  now: number;
  /** When its time began. Snapshots of earlier versions do not have it. */
  startedAt?: number;
  /** Sorted: the next timer is the first. */
  timers: Timer[];
  nextTurn: number;
  random: RandomState;
  nextId: number;
  nextInvoice: number;
  keys: Record<string, StoredKey>;
  builtIn: Record<KeyKind, string>;
  webhookSecret: string;
  /** Earlier and later signing secrets: only there after chaos rotates secrets. */
  otherSecrets?: string[];
  phones: Record<string, StoredPhone>;
  payments: StoredPayment[];
  invoices: StoredInvoice[];
  webhooks: StoredWebhook[];
  deliveries: StoredDelivery[];
  faults: StoredFault[];
  /** The number of faults so far: only there after the first one. */
  faultCount?: number;
  chaos?: StoredChaos;
}

/** The state of a sandbox in which nothing has happened yet. */
export function initialState(
  seed: string,
  now: number,
  newSecret: (state: Pick<State, "random" | "nextId">) => string,
): State {
  const random = seedRandom(seed);
  const builtIn = {
    public: newKey(random, "public"),
    secret: newKey(random, "secret"),
    sandbox: newKey(random, "sandbox"),
  };
  const keys: Record<string, StoredKey> = {};
  for (const kind of ["public", "secret", "sandbox"] as const) {
    keys[builtIn[kind]] = { kind, scopes: allowedScopes(kind) };
  }
  return {
    version: 1,
    now,
    startedAt: now,
    timers: [],
    nextTurn: 0,
    random,
    nextId: 1,
    nextInvoice: 1,
    keys,
    builtIn,
    webhookSecret: newSecret({ random, nextId: 1 }),
    phones: {},
    payments: [],
    invoices: [],
    webhooks: [],
    deliveries: [],
    faults: [],
  };
}

export const newPhone = (): StoredPhone => ({ balanceCents: ASSUMPTIONS.balance.value, on: true });
