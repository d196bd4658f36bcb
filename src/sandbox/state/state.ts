import { ASSUMPTIONS } from "../assumptions.ts";
import { createKey } from "./keys.ts";
import { seedRandom } from "./random.ts";
import type { State, StoredPhone } from "./stored.ts";

/** The state of a sandbox in which nothing has happened yet, without its signing secret. */
export function initialState(seed: string, now: number): State {
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
    state.builtIn[kind] = createKey(state, { kind });
  }
  return state;
}

export const newPhone = (): StoredPhone => ({ balanceCents: ASSUMPTIONS.balance.value, on: true });
