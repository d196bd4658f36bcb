import { ASSUMPTIONS } from "../assumptions.ts";
import { allowedScopes, newKey } from "./keys.ts";
import { seedRandom } from "./random.ts";
import type { State, StoredKey, StoredPhone } from "./stored.ts";

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
    faultCount: 0,
  };
}

export const newPhone = (): StoredPhone => ({ balanceCents: ASSUMPTIONS.balance.value, on: true });
