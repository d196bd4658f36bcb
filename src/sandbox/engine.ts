import { machineTime } from "./clock/machine.ts";
import { Scheduler } from "./clock/scheduler.ts";
import { addTimer, sortedTimers } from "./clock/timer-queue.ts";
import { DeliverySender } from "./deliveries/delivery-sender.ts";
import { notifyChanged } from "./exchange/watch.ts";
import type { SandboxSettings } from "./options.ts";
import { makeOverdue } from "./payments/invoices.ts";
import { answerWhenDue, expirePrompt } from "./payments/payments.ts";
import { indexPayments, type SandboxState } from "./sandbox-state.ts";
import { ASSUMED_SPEECH } from "./serializer/assumed.ts";
import { learnedSpeech } from "./serializer/learned/serializer.ts";
import type { Speech } from "./serializer/serializer.ts";
import type { Task } from "./state/records.ts";
import { checkSnapshot } from "./state/snapshot.ts";
import { initialState, type State } from "./state/state.ts";
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
    const speech = profile === undefined ? ASSUMED_SPEECH : learnedSpeech(profile, seed);
    this.sandboxState = {
      state: this.#initialState(speech),
      generation: 0,
      auto,
      limits,
      speech,
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
    this.#replaceState(this.#initialState(this.sandboxState.speech));
  }

  restore(snapshot: SandboxSnapshot): void {
    this.#replaceState(structuredClone(checkSnapshot(snapshot)));
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
    return { ...state, timers: sortedTimers(state.timers), now };
  }

  #initialState(speech: Speech): State {
    const { seed, clock, startMs } = this.#settings;
    return initialState(seed, clock === "virtual" ? startMs : machineTime(), (ids) =>
      speech.newId("secret", ids),
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
