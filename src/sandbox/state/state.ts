import type { KeyKind } from "../../contract/keys.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { allowedScopes, newKey } from "./keys.ts";
import { nextName, type RandomState, seedRandom } from "./random.ts";
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

/** The whole world, as JSON. */
export interface State {
  version: 1;
  now: number;
  /** The next one first; the others as a heap has them. */
  timers: Timer[];
  nextTurn: number;
  random: RandomState;
  nextId: number;
  nextInvoice: number;
  keys: Record<string, StoredKey>;
  builtIn: Record<KeyKind, string>;
  webhookSecret: string;
  /** Secrets that signed before, or will: only where chaos rotates them. */
  otherSecrets?: string[];
  phones: Record<string, StoredPhone>;
  payments: StoredPayment[];
  invoices: StoredInvoice[];
  webhooks: StoredWebhook[];
  deliveries: StoredDelivery[];
  faults: StoredFault[];
  chaos?: StoredChaos;
}

/** A world in which nothing has happened yet. */
export function firstState(seed: string, now: number): State {
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
    timers: [],
    nextTurn: 0,
    random,
    nextId: 1,
    nextInvoice: 1,
    keys,
    builtIn,
    webhookSecret: `whsec_${nextName(random, "token", 32)}`,
    phones: {},
    payments: [],
    invoices: [],
    webhooks: [],
    deliveries: [],
    faults: [],
  };
}

export const newPhone = (): StoredPhone => ({ balanceCents: ASSUMPTIONS.balance.value, on: true });
