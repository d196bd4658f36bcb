import { ConfigurationError } from "../errors/configuration.ts";
import { isObject } from "../internal/is-object.ts";
import { addTimer, machineTime, Scheduler } from "./clock.ts";
import { DeliverySender } from "./deliveries/delivery-sender.ts";
import { checkFaultOptions, type FaultOptions } from "./faults/faults.ts";
import type { Watchers } from "./messages.ts";
import { makeOverdue } from "./payments/sandbox-invoices.ts";
import { answerWhenDue, expirePrompt } from "./payments/sandbox-payments.ts";
import type { SandboxSettings } from "./sandbox-options.ts";
import { indexPayment, type SandboxState } from "./sandbox-state.ts";
import type { SandboxSnapshot } from "./sandbox-types.ts";
import { ASSUMED_SERIALIZER } from "./serializer/assumed.ts";
import { learnedSerializer } from "./serializer/learned/learned-serializer.ts";
import type { Serializer } from "./serializer/serializer.ts";
import { addNetworkKey, initialState } from "./state/state.ts";
import {
  STATE,
  type State,
  type StoredFault,
  type StoredPayment,
  type Task,
} from "./state/stored.ts";

// A snapshot is checked before it replaces a state that works.

/** The checks of a command decide here, too: a file could bring what no command accepts. */
function isFault({ id: _, times, ...fault }: StoredFault): boolean {
  try {
    checkFaultOptions({ ...fault, times: times ?? Number.POSITIVE_INFINITY } as FaultOptions);
    return true;
  } catch {
    return false;
  }
}

/** A timer of a delivery that does not exist would stop the clock. */
function haveDeliveries({ timers, deliveries }: State): boolean {
  const ids = new Set(deliveries.map(({ id }) => id));
  return timers.every(({ task }) => task.kind !== "deliver" || ids.has(task.delivery));
}

function damagedField(snapshot: unknown): PropertyKey | undefined {
  const { success, data, error } = STATE.safeParse(snapshot);
  if (!success) return error.issues[0]?.path[0];
  if (!data.faults.every(isFault)) return "faults";
  return haveDeliveries(data) ? undefined : "timers";
}

/** @throws {ConfigurationError} naming the field that is damaged. */
function checkSnapshot(snapshot: unknown): State {
  if (!isObject(snapshot) || snapshot.version !== 1) {
    throw new ConfigurationError(
      "This is not a snapshot of a sandbox, or a later version made it. Pass what sandbox.snapshot() returned.",
    );
  }
  const field = damagedField(snapshot);
  if (field === undefined) return snapshot as unknown as State;
  throw new ConfigurationError(
    `The snapshot is damaged: its field \`${String(field)}\` is missing or has a wrong value. Take a new snapshot.`,
  );
}

/** The parts of a sandbox, wired together: state, clock and deliveries. */
export class Engine implements SandboxState {
  readonly settings: SandboxSettings;
  readonly serializer: Serializer;
  readonly payments = new Map<string, StoredPayment>();
  readonly watchers: Watchers = new Set();
  readonly deliveries: DeliverySender = new DeliverySender(this);
  readonly clock: Scheduler;
  state: State;

  constructor(settings: SandboxSettings) {
    const { clock, profile, seed } = settings;
    this.settings = settings;
    this.clock = new Scheduler(clock, this);
    this.serializer = profile === undefined ? ASSUMED_SERIALIZER : learnedSerializer(profile, seed);
    this.state = this.#initialState();
  }

  changed(): void {
    for (const watcher of this.watchers) watcher.changed?.();
  }

  reset(): void {
    this.#replaceState(this.#initialState());
  }

  restore(snapshot: SandboxSnapshot): void {
    const state = structuredClone(checkSnapshot(snapshot));
    if (this.settings.testNetwork) addNetworkKey(state);
    this.#replaceState(state);
  }

  snapshot(): SandboxSnapshot {
    const state = structuredClone(this.state);
    const now = this.clock.ms();
    for (const [index, id] of this.deliveries.inFlight().entries()) {
      const delivery = state.deliveries.find((one) => one.id === id);
      if (delivery === undefined) continue;
      // This attempt ends in the present state. In the snapshot it is still to be made: before
      // anything else that is due, in the order in which the attempts began.
      delivery.tries--;
      const turn = index - state.deliveries.length;
      addTimer(state.timers, { at: now, turn, task: { kind: "deliver", delivery: id } });
    }
    return { ...state, now };
  }

  run(task: Task): void {
    switch (task.kind) {
      case "answer":
        answerWhenDue(this, task.reference, task.outcome);
        break;
      case "expire":
        expirePrompt(this, task.reference);
        break;
      case "deliver":
        this.deliveries.retry(task.delivery);
        break;
      case "overdue":
        makeOverdue(this, task.invoice);
    }
  }

  #initialState(): State {
    const { seed, clock, startMs, testNetwork } = this.settings;
    const now = clock === "virtual" ? startMs : machineTime();
    const state = initialState(seed, now, testNetwork);
    state.webhookSecret = this.serializer.newId("secret", { random: state.random, nextId: 1 });
    return state;
  }

  #replaceState(state: State): void {
    this.state = state;
    this.payments.clear();
    for (const payment of state.payments) indexPayment(this.payments, payment);
    this.deliveries.restart();
    this.clock.restart();
    this.changed();
  }
}
