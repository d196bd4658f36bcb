// The protocol of one idempotency key as plain values. `steps.ts` says how a state may go on.

/**
 * How old an attempt is, against its lease: within it, past the deadline (the lease less a margin), past
 * the lease, past the lease and a margin. Nothing else of time matters to the protocol.
 */
export type Age = 0 | 1 | 2 | 3;
export const PAST_DEADLINE: Age = 1;
export const PAST_LEASE: Age = 2;
export const SAFELY_OVER: Age = 3;

/** The number of an attempt: each try of each process has one. It is the owner of the record, too. */
export type Attempt = number;

/** What the store holds under the key. */
export interface StoredAttempt {
  readonly owner: Attempt;
  readonly state: "in_flight" | "unknown" | "succeeded";
  /** The attempt whose payment is the result. */
  readonly result?: Attempt;
  /** On the store's clock. */
  readonly age: Age;
}

/** What a caller was given. */
export type Answer =
  | { readonly kind: "result"; readonly payment: Attempt }
  | { readonly kind: "not_sent" }
  | { readonly kind: "rejected" }
  | { readonly kind: "unknown" };

export interface Process {
  /**
   * `ready`: the record is its own, and nothing is sent yet. `sending`: its clocks were looked at, and
   * the bytes leave next. `waiting`: sent, and no response yet. `ending`: what became of it is to be
   * written.
   */
  readonly phase: "idle" | "ready" | "sending" | "waiting" | "ending" | "dead";
  readonly attempt: Attempt;
  /** The age of its attempt by each of its two clocks. */
  readonly wall: Age;
  readonly monotonic: Age;
  /** A suspended machine does nothing, and its monotonic clock stands still. */
  readonly suspended: boolean;
  /** Which of its clocks has been wrong during this attempt. */
  readonly wrongClock: "none" | "wall" | "monotonic" | "both";
  /** In phase `ending`: what is written. */
  readonly end?: Answer;
  /** How often it may still ask for the payment. */
  readonly triesLeft: number;
  /** What its caller was given in this very step. */
  readonly answer?: Answer;
}

/** A request that has left a process, and has not arrived. */
interface Request {
  readonly attempt: Attempt;
  /** Since it was sent. No network holds a request for as long as a lease and its margin. */
  readonly age: Age;
}

/** A person who looks for an attempt of unknown outcome in the list of payments, then resolves it. */
interface Reconciler {
  readonly owner: Attempt;
  /** The payment that was found; `undefined`: none was there. */
  readonly found: Attempt | undefined;
}

export interface State {
  readonly stored: StoredAttempt | null;
  readonly processes: readonly Process[];
  readonly requests: readonly Request[];
  /** The attempts that prompted the customer, in order. */
  readonly prompts: readonly Attempt[];
  readonly reconciler: Reconciler | null;
  /** How many faults may still happen. */
  readonly faultsLeft: number;
}

/** A protocol, as it is or with a part missing. */
export interface Protocol {
  readonly processes: number;
  readonly tries: number;
  readonly faults: number;
  /** By which clocks a process checks its lease as the bytes leave. */
  readonly deadline: readonly ("wall" | "monotonic")[];
  /** From which age on an attempt may be resolved as not sent. */
  readonly notSentFrom: Age;
  /** From which age on a person looks whether there is no payment. */
  readonly lookFrom: Age;
  /** What a response that says no and names a payment counts as. */
  readonly contradiction: "unknown" | "rejected";
  /** May both clocks of one process be wrong at once? The protocol does not survive that. */
  readonly bothClocksMayBeWrong: boolean;
  /** May a process be suspended between its last look at the clocks and the network? As above. */
  readonly mayPauseAfterLook: boolean;
  /** May the clock that the store measures leases by jump forward? As above. */
  readonly storeClockMayJump: boolean;
}

/** The protocol of this package. */
export const PROTOCOL: Protocol = {
  processes: 2,
  tries: 2,
  faults: 3,
  deadline: ["wall", "monotonic"],
  notSentFrom: SAFELY_OVER,
  lookFrom: SAFELY_OVER,
  contradiction: "unknown",
  bothClocksMayBeWrong: false,
  mayPauseAfterLook: false,
  storeClockMayJump: false,
};

export function initialState({ processes, tries, faults }: Protocol): State {
  const process: Process = {
    phase: "idle",
    attempt: 0,
    wall: 0,
    monotonic: 0,
    suspended: false,
    wrongClock: "none",
    triesLeft: tries,
  };
  return {
    stored: null,
    processes: Array.from({ length: processes }, () => process),
    requests: [],
    prompts: [],
    reconciler: null,
    faultsLeft: faults,
  };
}

const IDLE = { attempt: 0, wall: 0, monotonic: 0, wrongClock: "none" } as const;

/** A process without what makes no difference any more, so that equal situations are one state. */
function essential({ answer, end, ...process }: Process): Process {
  if (process.phase === "dead") return { ...process, ...IDLE, suspended: false, triesLeft: 0 };
  if (process.phase === "idle") return { ...process, ...IDLE };
  if (process.phase !== "ending") return process;
  return { ...process, ...IDLE, attempt: process.attempt, ...(end && { end }) };
}

/** A state without what makes no difference: which process is which, and what is over. */
export function essentialState(state: State): State {
  const { stored } = state;
  const processes = state.processes.map((one) => {
    const process = essential(one);
    return { process, key: JSON.stringify(process) };
  });
  processes.sort((a, b) => (a.key < b.key ? -1 : 1));
  return {
    ...state,
    stored: stored?.state === "succeeded" ? { ...stored, age: 0 } : stored,
    processes: processes.map(({ process }) => process),
  };
}

/** The lowest number that no attempt has any more. */
export function nextAttempt({ stored, processes, requests, prompts, reconciler }: State): Attempt {
  const taken = new Set([
    stored?.owner,
    stored?.result,
    ...processes.map(({ attempt }) => attempt),
    ...requests.map(({ attempt }) => attempt),
    ...prompts,
    reconciler?.owner,
  ]);
  let attempt = 1;
  while (taken.has(attempt)) attempt++;
  return attempt;
}
