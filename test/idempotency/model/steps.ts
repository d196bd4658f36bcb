import {
  type Age,
  type Answer,
  type Attempt,
  nextAttempt,
  PAST_DEADLINE,
  PAST_LEASE,
  type Process,
  type Protocol,
  SAFELY_OVER,
  type State,
  type StoredAttempt,
} from "./state.ts";

/** What may happen next. */
export interface Step {
  readonly name: string;
  /** Faults are bounded, and stop in the end; everything else goes on. */
  readonly isFault: boolean;
  readonly next: State;
}

export const TIME_PASSES = "time passes";

const older = (age: Age): Age => Math.min(age + 1, SAFELY_OVER) as Age;

const withProcess = (state: State, index: number, changes: Partial<Process>): State => ({
  ...state,
  processes: state.processes.map((one, at) => (at === index ? { ...one, ...changes } : one)),
});

/** What a record means to someone who asks: in flight past its lease is unknown. */
const isUnknown = ({ state, age }: StoredAttempt): boolean =>
  state === "unknown" || (state === "in_flight" && age >= PAST_LEASE);

/** The store writes how an attempt ended, if the record is still that attempt's. */
function withWrite(state: State, owner: Attempt, end: Answer): State {
  const { stored } = state;
  if (stored?.owner !== owner) return state;
  if (end.kind === "not_sent" || end.kind === "rejected") return { ...state, stored: null };
  return {
    ...state,
    stored:
      end.kind === "result"
        ? { ...stored, state: "succeeded", result: end.payment }
        : { ...stored, state: "unknown" },
  };
}

/** A process asks the store for the key. */
function begin(state: State, index: number): Step[] {
  const process = state.processes[index] as Process;
  const { stored } = state;
  const attempt = nextAttempt(state);
  const asked = withProcess(state, index, { triesLeft: process.triesLeft - 1 });
  if (stored === null) {
    const owned = {
      ...asked,
      stored: { owner: attempt, state: "in_flight", age: 0 } as const,
    };
    const fresh = { attempt, wall: 0, monotonic: 0, wrongClock: "none" } as const;
    const failed = { ...fresh, phase: "ending", end: { kind: "not_sent" } } as const;
    return [
      {
        name: `begin attempt ${attempt}`,
        isFault: false,
        next: withProcess(owned, index, { ...fresh, phase: "ready" }),
      },
      {
        name: `begin attempt ${attempt}, and the store fails after`,
        isFault: true,
        next: withProcess(owned, index, failed),
      },
    ];
  }
  const give = (answer: Answer): Step[] => [
    { name: `begin: ${answer.kind}`, isFault: false, next: withProcess(asked, index, { answer }) },
  ];
  if (stored.state === "succeeded")
    return give({ kind: "result", payment: stored.result as Attempt });
  // In flight: it waits, and asks again.
  return isUnknown(stored) ? give({ kind: "unknown" }) : [];
}

/** A process looks at its clocks, and sends. */
function send(state: State, index: number, protocol: Protocol): Step[] {
  const process = state.processes[index] as Process;
  if (protocol.deadline.some((clock) => process[clock] >= PAST_DEADLINE)) {
    const end = { kind: "not_sent" } as const;
    return [
      {
        name: "past_deadline",
        isFault: false,
        next: withProcess(state, index, { phase: "ending", end }),
      },
    ];
  }
  const request = { attempt: process.attempt, age: 0 } as const;
  const sent = withProcess({ ...state, requests: [...state.requests, request] }, index, {
    phase: "waiting",
  });
  return [{ name: "send", isFault: false, next: sent }];
}

/** What may become of an attempt that is on the network. */
function hear(state: State, index: number, { contradiction }: Protocol): Step[] {
  const { attempt, monotonic } = state.processes[index] as Process;
  const ended = (end: Answer) => withProcess(state, index, { phase: "ending", end });
  const isLate = monotonic >= PAST_DEADLINE;
  const steps: Step[] = [
    {
      name: isLate ? "stops waiting" : "connection reset",
      isFault: !isLate,
      next: ended({ kind: "unknown" }),
    },
  ];
  if (state.prompts.includes(attempt)) {
    const result = { kind: "result", payment: attempt } as const;
    steps.push({ name: "response", isFault: false, next: ended(result) });
    const contradicted = ended({ kind: contradiction });
    steps.push({ name: "contradictory response", isFault: true, next: contradicted });
  }
  return steps;
}

/** A process writes how its attempt ended, and answers its caller. A store that fails does not keep the result from the caller. */
function end(state: State, index: number): Step[] {
  const { attempt, end: how } = state.processes[index] as Process;
  const answer = how as Answer;
  const done = { phase: "idle", answer } as const;
  return [
    {
      name: `writes ${answer.kind}`,
      isFault: false,
      next: withProcess(withWrite(state, attempt, answer), index, done),
    },
    { name: `fails to write ${answer.kind}`, isFault: true, next: withProcess(state, index, done) },
  ];
}

function clockFaults(state: State, index: number, protocol: Protocol): Step[] {
  const process = state.processes[index] as Process;
  if (process.phase !== "ready" && process.phase !== "waiting") return [];
  const steps: Step[] = [];
  const may = (clock: "wall" | "monotonic") =>
    protocol.bothClocksMayBeWrong || process.wrongClock === "none" || process.wrongClock === clock;
  const wrong = (clock: "wall" | "monotonic") =>
    process.wrongClock === "none" || process.wrongClock === clock ? clock : ("both" as const);
  if (may("monotonic")) {
    const next = withProcess(state, index, { suspended: true, wrongClock: wrong("monotonic") });
    steps.push({ name: "suspend", isFault: true, next });
  }
  if (may("wall") && process.wall > 0) {
    const next = withProcess(state, index, { wall: 0, wrongClock: wrong("wall") });
    steps.push({ name: "wall clock set back", isFault: true, next });
  }
  return steps;
}

function processSteps(state: State, index: number, protocol: Protocol): Step[] {
  const process = state.processes[index] as Process;
  if (process.phase === "dead") return [];
  if (process.suspended) {
    return [
      { name: "resume", isFault: false, next: withProcess(state, index, { suspended: false }) },
    ];
  }
  const steps: Step[] = [
    { name: "crash", isFault: true, next: withProcess(state, index, { phase: "dead" }) },
    ...clockFaults(state, index, protocol),
  ];
  if (process.phase === "idle") {
    if (process.triesLeft > 0) steps.push(...begin(state, index));
  } else if (process.phase === "ready") {
    steps.push(...send(state, index, protocol));
  } else if (process.phase === "sending") {
    // Past the deadline already, and the bytes leave now.
    steps.push(...send(state, index, { ...protocol, deadline: [] }));
  } else if (process.phase === "waiting") {
    steps.push(...hear(state, index, protocol));
  } else {
    steps.push(...end(state, index));
  }
  if (protocol.mayPauseAfterLook && process.phase === "ready") {
    const looked = send(state, index, protocol).some(({ name }) => name === "send");
    if (looked) {
      const next = withProcess(state, index, { phase: "sending" });
      steps.push({ name: "pause after the look at the deadline", isFault: true, next });
    }
  }
  return steps;
}

/** A request reaches the service, which prompts; or it never does. */
function networkSteps(state: State): Step[] {
  return state.requests.flatMap((request, at): Step[] => {
    const requests = state.requests.filter((_, other) => other !== at);
    const arrived = { ...state, requests, prompts: [...state.prompts, request.attempt] };
    const lost = {
      name: `attempt ${request.attempt}: request lost`,
      isFault: true,
      next: { ...state, requests },
    };
    const prompt = { name: `attempt ${request.attempt}: prompt`, isFault: false, next: arrived };
    return [prompt, lost];
  });
}

/** Time passes for everybody, but not for the monotonic clock of a suspended machine. */
function timePasses(state: State): Step[] {
  const next: State = {
    ...state,
    stored: state.stored && { ...state.stored, age: older(state.stored.age) },
    requests: state.requests
      .map((one) => ({ ...one, age: older(one.age) }))
      .filter(({ age }) => age < SAFELY_OVER),
    processes: state.processes.map((one) =>
      one.phase === "dead"
        ? one
        : {
            ...one,
            wall: older(one.wall),
            monotonic: one.suspended ? one.monotonic : older(one.monotonic),
          },
    ),
  };
  return [{ name: TIME_PASSES, isFault: false, next }];
}

/** A person looks for the payment, and resolves the attempt by what was found. */
function reconcilerSteps(state: State, protocol: Protocol): Step[] {
  const { stored, reconciler, prompts } = state;
  if (reconciler === null) {
    if (stored === null || !isUnknown(stored)) return [];
    const found = prompts[0];
    if (found === undefined && stored.age < protocol.lookFrom) return [];
    const next = { ...state, reconciler: { owner: stored.owner, found } };
    return [{ name: `look: ${found === undefined ? "none" : "a payment"}`, isFault: false, next }];
  }
  const free = { ...state, reconciler: null };
  const stands = stored !== null && isUnknown(stored) && stored.owner === reconciler.owner;
  if (!stands) return [{ name: "resolve: rejected", isFault: false, next: free }];
  if (reconciler.found !== undefined) {
    const resolved = { ...stored, owner: 0, state: "succeeded", result: reconciler.found } as const;
    return [
      { name: "resolve by the payment", isFault: false, next: { ...free, stored: resolved } },
    ];
  }
  return stored.age < protocol.notSentFrom
    ? [{ name: "resolve as not sent: too early", isFault: false, next: free }]
    : [{ name: "resolve as not sent", isFault: false, next: { ...free, stored: null } }];
}

function storeClockJumps(state: State, { storeClockMayJump }: Protocol): Step[] {
  const { stored } = state;
  if (!storeClockMayJump || stored === null) return [];
  const next = { ...state, stored: { ...stored, age: SAFELY_OVER } };
  return [{ name: "the store's clock jumps", isFault: true, next }];
}

/** Processes have no names: which is which makes no difference. An attempt has its number. */
function named({ processes }: State, index: number, name: string): string {
  const attempt = processes[index]?.attempt;
  return attempt ? `attempt ${attempt}: ${name}` : name;
}

/** Everything that may happen next. */
export function stepsFrom(state: State, protocol: Protocol): Step[] {
  const steps = [
    ...state.processes.flatMap((_, index) =>
      processSteps(state, index, protocol).map((step) => ({
        ...step,
        name: named(state, index, step.name),
      })),
    ),
    ...networkSteps(state),
    ...timePasses(state),
    ...storeClockJumps(state, protocol),
    ...reconcilerSteps(state, protocol),
  ];
  return steps.flatMap((step) => {
    if (!step.isFault) return [step];
    const faultsLeft = state.faultsLeft - 1;
    return faultsLeft < 0 ? [] : [{ ...step, next: { ...step.next, faultsLeft } }];
  });
}
