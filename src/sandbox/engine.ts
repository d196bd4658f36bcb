import { Scheduler } from "./clock/scheduler.ts";
import { machineTime } from "./clock/time.ts";
import { addTimer, sortedTimers } from "./clock/timer-queue.ts";
import { DeliverySender } from "./deliveries/delivery-sender.ts";
import type { Watchers } from "./exchange/watch.ts";
import type { SandboxSettings } from "./options.ts";
import { makeOverdue } from "./payments/invoices.ts";
import { answerWhenDue, expirePrompt } from "./payments/payments.ts";
import { indexPayment, type SandboxState } from "./sandbox-state.ts";
import { ASSUMED_SERIALIZER } from "./serializer/assumed.ts";
import { learnedSerializer } from "./serializer/learned/serializer.ts";
import type { Serializer } from "./serializer/serializer.ts";
import { checkSnapshot } from "./snapshot.ts";
import { initialState } from "./state/state.ts";
import type { State, StoredPayment, Task } from "./state/stored.ts";
import type { SandboxSnapshot } from "./types.ts";

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
    // Earlier versions stored them in another order.
    this.#replaceState({ ...state, timers: sortedTimers(state.timers) });
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
    const { seed, clock, startMs } = this.settings;
    const state = initialState(seed, clock === "virtual" ? startMs : machineTime());
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
