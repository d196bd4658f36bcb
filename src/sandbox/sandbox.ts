import type { Scope } from "../contract/endpoints.ts";
import { KEY_PREFIXES, type KeyKind } from "../contract/keys.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import { handle } from "./api/handle.ts";
import { ASSUMPTIONS } from "./assumptions.ts";
import { type Clock, createScheduler } from "./clock/clock.ts";
import { machineTime } from "./clock/machine.ts";
import { VIRTUAL_START } from "./clock/time.ts";
import { addTimer, inOrder } from "./clock/timer-queue.ts";
import { createCourier, type Deliveries } from "./deliveries/deliveries.ts";
import { type Chaos, createChaos } from "./faults/chaos.ts";
import { checkFields, createFaults, type Faults } from "./faults/faults.ts";
import { apiRequestOf, type FetchInput, respond } from "./http/fetch.ts";
import { type ServedSandbox, serve } from "./http/server.ts";
import { type Activity, watchActivity } from "./observe/activity.ts";
import { changed, type Watchers } from "./observe/watch.ts";
import { checkChoice, checkOptions, type SandboxOptions } from "./options.ts";
import { makeOverdue } from "./payments/invoices.ts";
import { answerByTimer, expirePrompt } from "./payments/payments.ts";
import { createPhone, type Phone } from "./payments/phone.ts";
import { checkSnapshot } from "./state/snapshot.ts";
import { firstState, keyName, type State, scopesOf, type Task } from "./state/state.ts";
import { indexPayments, type World } from "./state/world.ts";

/** A world as JSON, clock and pending timers in it: for `sandbox.restore`. */
export type SandboxSnapshot = { readonly version: 1 } & Readonly<Record<string, unknown>>;

/** A whole gateway. See {@link createSandbox}. */
export interface Sandbox {
  /** The gateway as one function: hand it to `new Gateway({ fetch: sandbox.fetch })`. */
  readonly fetch: (input: FetchInput, init?: RequestInit) => Promise<Response>;
  /** What `fetch` answers for. */
  readonly baseUrl: string;
  /** One key of each kind, with every scope of its kind. */
  readonly keys: Readonly<Record<KeyKind, string>>;
  /** What signs deliveries. */
  readonly webhookSecret: string;
  /** What signs deliveries, then what did before or will: more than one only where chaos rotates it. */
  readonly webhookSecrets: readonly string[];
  readonly clock: Clock;
  readonly deliveries: Deliveries;
  readonly faults: Faults;
  /** Lets things go wrong at given rates. See {@link Chaos}. */
  readonly chaos: Chaos;
  /**
   * Makes a key.
   *
   * @throws {ConfigurationError} for a scope that its kind may not hold.
   */
  createKey(key: { kind: KeyKind; scopes?: readonly Scope[] | undefined }): string;
  /** The phone of a number, in any usual way of writing it. */
  phone(number: string): Phone;
  /**
   * Tells what happens from now on, soon after it happened: payments that are new or settled,
   * deliveries with a new attempt; both empty for a change of another kind. Gives what ends it.
   */
  watch(listener: (activity: Activity) => void): () => void;
  /** Back to the first state: clock, keys, phones, faults, log and random sequence. */
  reset(): void;
  /** The whole world as JSON, clock and pending timers included. */
  snapshot(): SandboxSnapshot;
  /** Takes the state of a snapshot, of this or another sandbox. */
  restore(snapshot: SandboxSnapshot): void;
  /** Puts the same gateway on real HTTP, on loopback. @default port 4010; 0 takes any that is free */
  serve(options?: { port?: number | undefined }): Promise<ServedSandbox>;
}

/**
 * A whole gateway in a box: all 18 endpoints with keys, scopes and state, the customer's phone, and
 * signed webhooks that are logged and retried. No account, no network, no tunnel.
 *
 * What the service's interface leaves open is chosen here; every choice is listed in the docs, and
 * none should be leaned on.
 *
 * @throws {ConfigurationError} for a wrong option.
 *
 * @example
 * ```ts
 * const sandbox = createSandbox();
 * const gateway = new Gateway({
 *   apiKey: sandbox.keys.secret,
 *   baseUrl: sandbox.baseUrl,
 *   fetch: sandbox.fetch,
 * });
 * const { reference } = await gateway.mobileMoney.initiate({ amount: 100, phone: "0712345678" });
 * sandbox.phone("0712345678").approve();
 * const { status } = await gateway.payments.get(reference); // "completed"
 * ```
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  checkOptions(options);
  const { clock: mode = "virtual", auto = "magic", deliveryTimeoutMs = 5_000 } = options;
  // Looked up at each delivery, so that a mock that comes later is seen.
  const { deliver = (request) => globalThis.fetch(request) } = options;
  const seed = String(options.seed ?? "malipo");
  const { origin, prefix, port: standardPort } = ASSUMPTIONS.address.value;
  const { amountBounds } = ASSUMPTIONS;
  const { minAmount = amountBounds.value.minAmount, maxAmount = amountBounds.value.maxAmount } =
    options.limits ?? {};
  if (minAmount > maxAmount) {
    throw new ConfigurationError(`\`limits\` leave no amount: ${minAmount} to ${maxAmount}.`);
  }
  const first = () => firstState(seed, mode === "virtual" ? VIRTUAL_START : machineTime());

  const watchers: Watchers = new Set();
  const courier = createCourier(() => world, deliver, deliveryTimeoutMs);
  const clock = createScheduler(
    mode,
    () => world.state,
    (task) => run(task),
    courier.settled,
  );
  const world: World = {
    state: first(),
    generation: 0,
    auto,
    // In cents, so that comparing is exact.
    limits: { minCents: Math.round(minAmount * 100), maxCents: Math.round(maxAmount * 100) },
    clock,
    payments: new Map(),
    emit: courier.emit,
    watchers,
  };

  const tasks: { readonly [Kind in Task["kind"]]: (task: Task & { kind: Kind }) => void } = {
    answer: ({ reference, answer }) => answerByTimer(world, reference, answer),
    expire: ({ reference }) => expirePrompt(world, reference),
    deliver: ({ delivery }) => courier.retry(delivery),
    overdue: ({ invoice }) => makeOverdue(world, invoice),
  };
  function run(task: Task): void {
    tasks[task.kind](task as never);
    changed(watchers);
  }

  function replace(state: State): void {
    world.state = state;
    world.generation++;
    courier.forget();
    indexPayments(world);
    clock.restart();
    changed(watchers);
  }

  const sandbox: Sandbox = {
    baseUrl: origin + prefix,
    get keys() {
      return { ...world.state.builtIn };
    },
    get webhookSecret() {
      return world.state.webhookSecret;
    },
    get webhookSecrets() {
      return [world.state.webhookSecret, ...(world.state.otherSecrets ?? [])];
    },
    clock: {
      now: clock.now,
      advance: async (by) => {
        await clock.advance(by);
        changed(watchers);
      },
    },
    deliveries: { all: courier.all, settled: courier.settled, resend: courier.resend },
    faults: createFaults(
      () => world.state,
      () => changed(watchers),
    ),
    chaos: createChaos(
      () => world.state,
      seed,
      () => changed(watchers),
    ),
    fetch: async (input, init) => {
      const request = await apiRequestOf(origin + prefix, input, init);
      if (request === undefined) {
        throw new TypeError(`The sandbox answers for ${origin + prefix} alone.`);
      }
      const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
      return respond(handle(world, request), request.method, signal);
    },
    createKey: (key) => {
      checkFields(key, ["kind", "scopes"], "A key");
      const { kind, scopes } = key;
      checkChoice("A key's `kind`", kind, Object.keys(KEY_PREFIXES));
      const allowed = scopesOf(kind);
      const wrong = scopes?.find((scope) => !allowed.includes(scope));
      if (wrong !== undefined) {
        throw new ConfigurationError(
          `A ${kind} key cannot hold the scope "${wrong}". It can hold ${allowed.join(", ")}.`,
        );
      }
      const name = keyName(world.state.random, kind);
      world.state.keys[name] = { kind, scopes: [...(scopes ?? allowed)] };
      return name;
    },
    phone: (number) => createPhone(() => world, number),
    watch: (listener) => watchActivity(world, listener),
    reset: () => replace(first()),
    snapshot: () => {
      const now = clock.ms();
      const state = structuredClone(world.state);
      // An attempt under way ends in the world that it began in: the snapshot's is yet to be made.
      for (const [index, id] of courier.inFlight().entries()) {
        const delivery = state.deliveries.find((one) => one.id === id);
        if (delivery === undefined) continue;
        delivery.tries--;
        // Before whatever else is due, in the order in which they began.
        const turn = index - state.deliveries.length;
        addTimer(state.timers, { at: now, turn, task: { kind: "deliver", delivery: id } });
      }
      return { ...state, timers: inOrder(state.timers), now };
    },
    restore: (snapshot) => replace(structuredClone(checkSnapshot(snapshot))),
    serve: async (options = {}) => {
      checkFields(options, ["port"], "serve()");
      const { port = standardPort } = options;
      return serve({ world, sandbox, clock: mode }, port);
    },
  };
  return sandbox;
}
