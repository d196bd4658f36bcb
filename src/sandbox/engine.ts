import { Scheduler } from "./clock/scheduler.ts";
import { machineTime } from "./clock/time.ts";
import { addTimer, sortedTimers } from "./clock/timer-queue.ts";
import { DeliverySender } from "./deliveries/delivery-sender.ts";
import { notifyChanged } from "./exchange/watch.ts";
import type { SandboxSettings } from "./options.ts";
import { makeOverdue } from "./payments/invoices.ts";
import { answerWhenDue, expirePrompt } from "./payments/payments.ts";
import { indexPayments, type SandboxState } from "./sandbox-state.ts";
import { ASSUMED_SERIALIZER } from "./serializer/assumed.ts";
import { learnedSerializer } from "./serializer/learned/serializer.ts";
import type { Serializer } from "./serializer/serializer.ts";
import { checkSnapshot } from "./snapshot.ts";
import { initialState } from "./state/state.ts";
import type { State, Task } from "./state/stored.ts";
import type { SandboxSnapshot } from "./types.ts";

/** The parts of a sandbox, wired together: state, clock and deliveries. */
export class Engine {
  readonly #settings: SandboxSettings;
  readonly sandboxState: SandboxState;
  readonly deliveries: DeliverySender;

  constructor(settings: SandboxSettings) {
    this.#settings = settings;
    const { deliver, deliveryTimeoutMs, clock: mode, auto, limits, profile, seed } = settings;
    this.deliveries = new DeliverySender({
      sandboxState: () => this.sandboxState,
      deliver,
      timeoutMs: deliveryTimeoutMs,
    });
    const clock = new Scheduler({
      mode,
      state: () => this.sandboxState.state,
      run: (task) => this.#run(task),
      waitForDeliveries: () => this.deliveries.settled(),
    });
    const serializer =
      profile === undefined ? ASSUMED_SERIALIZER : learnedSerializer(profile, seed);
    this.sandboxState = {
      state: this.#initialState(serializer),
      generation: 0,
      auto,
      limits,
      serializer,
      clock,
      payments: new Map(),
      emit: (event, record) => this.deliveries.emit(event, record),
      emitTo: (url, event, record) => this.deliveries.emitTo(url, event, record),
      watchers: new Set(),
    };
  }

  changed(): void {
    notifyChanged(this.sandboxState.watchers);
  }

  reset(): void {
    this.#replaceState(this.#initialState(this.sandboxState.serializer));
  }

  restore(snapshot: SandboxSnapshot): void {
    const state = structuredClone(checkSnapshot(snapshot));
    // Earlier versions stored them in another order.
    this.#replaceState({ ...state, timers: sortedTimers(state.timers) });
  }

  snapshot(): SandboxSnapshot {
    const { state: current, clock } = this.sandboxState;
    const state = structuredClone(current);
    const now = clock.ms();
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

  #initialState(serializer: Serializer): State {
    const { seed, clock, startMs } = this.#settings;
    return initialState(seed, clock === "virtual" ? startMs : machineTime(), (ids) =>
      serializer.newId("secret", ids),
    );
  }

  #replaceState(state: State): void {
    this.sandboxState.state = state;
    this.sandboxState.generation++;
    this.deliveries.restart();
    indexPayments(this.sandboxState);
    this.sandboxState.clock.restart();
    this.changed();
  }

  #run(task: Task): void {
    switch (task.kind) {
      case "answer":
        answerWhenDue(this.sandboxState, task.reference, task.outcome);
        break;
      case "expire":
        expirePrompt(this.sandboxState, task.reference);
        break;
      case "deliver":
        this.deliveries.retry(task.delivery);
        break;
      case "overdue":
        makeOverdue(this.sandboxState, task.invoice);
    }
    this.changed();
  }
}
