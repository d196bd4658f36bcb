import { ASSUMPTIONS } from "../assumptions.ts";
import { createKey } from "./keys.ts";
import { seedRandom } from "./random.ts";
import type { State, StoredPhone } from "./stored.ts";

/** The state of a sandbox in which nothing has happened yet. */
export function initialState(
  seed: string,
  now: number,
  newSecret: (state: Pick<State, "random" | "nextId">) => string,
): State {
  const random = seedRandom(seed);
  const state: State = {
    version: 1,
    now,
    startedAt: now,
    timers: [],
    nextTurn: 0,
    random,
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
    faultCount: 0,
  };
  for (const kind of ["public", "secret", "sandbox"] as const) {
    state.builtIn[kind] = createKey(state, { kind });
  }
  state.webhookSecret = newSecret({ random, nextId: 1 });
  return state;
}

export const newPhone = (): StoredPhone => ({ balanceCents: ASSUMPTIONS.balance.value, on: true });
