import { KEY_PREFIXES } from "../contract/keys.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import { handle } from "./api/handle.ts";
import { ASSUMPTIONS } from "./assumptions.ts";
import { createScheduler } from "./clock/clock.ts";
import { machineTime } from "./clock/machine.ts";
import { VIRTUAL_START } from "./clock/time.ts";
import { addTimer, inOrder } from "./clock/timer-queue.ts";
import { createCourier } from "./deliveries/deliveries.ts";
import { createChaos } from "./faults/chaos.ts";
import { checkFields, createFaults } from "./faults/faults.ts";
import { apiRequestOf, respond } from "./http/fetch.ts";
import { serve } from "./http/server.ts";
import { watchActivity } from "./observe/activity.ts";
import { notifyChanged, type Watchers } from "./observe/watch.ts";
import { checkChoice, checkOptions, type SandboxOptions } from "./options.ts";
import { makeOverdue } from "./payments/invoices.ts";
import { answerWhenDue, expirePrompt } from "./payments/payments.ts";
import { createPhone } from "./payments/phone.ts";
import { allowedScopes, newKey } from "./state/keys.ts";
import type { Task } from "./state/records.ts";
import { checkSnapshot } from "./state/snapshot.ts";
import { firstState, type State } from "./state/state.ts";
import { indexPayments, type World } from "./state/world.ts";
import type { Sandbox } from "./types.ts";

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
    answer: ({ reference, outcome: answer }) => answerWhenDue(world, reference, answer),
    expire: ({ reference }) => expirePrompt(world, reference),
    deliver: ({ delivery }) => courier.retry(delivery),
    overdue: ({ invoice }) => makeOverdue(world, invoice),
  };
  function run(task: Task): void {
    tasks[task.kind](task as never);
    notifyChanged(watchers);
  }

  function replace(state: State): void {
    world.state = state;
    world.generation++;
    courier.forget();
    indexPayments(world);
    clock.restart();
    notifyChanged(watchers);
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
        notifyChanged(watchers);
      },
    },
    deliveries: { all: courier.all, settled: courier.settled, resend: courier.resend },
    faults: createFaults(
      () => world.state,
      () => notifyChanged(watchers),
    ),
    chaos: createChaos(
      () => world.state,
      seed,
      () => notifyChanged(watchers),
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
      const allowed = allowedScopes(kind);
      const wrong = scopes?.find((scope) => !allowed.includes(scope));
      if (wrong !== undefined) {
        throw new ConfigurationError(
          `A ${kind} key cannot hold the scope "${wrong}". It can hold ${allowed.join(", ")}.`,
        );
      }
      const name = newKey(world.state.random, kind);
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
