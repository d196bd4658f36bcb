import type { Scope } from "../contract/endpoints.ts";
import { KEY_PREFIXES, type KeyKind } from "../contract/keys.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import { handle } from "./api.ts";
import { ASSUMPTIONS } from "./assumptions.ts";
import { type Clock, createScheduler } from "./clock.ts";
import { createCourier, type Deliver, type Deliveries } from "./deliveries.ts";
import { checkFields, createFaults, type Faults } from "./faults.ts";
import { apiRequestOf, type FetchInput, respond } from "./fetch-skin.ts";
import { makeOverdue } from "./invoices.ts";
import { answerByTimer, expirePrompt } from "./payments.ts";
import { createPhone, type Phone } from "./phone.ts";
import { type ServedSandbox, serve } from "./serve.ts";
import { firstState, keyName, type State, scopesOf, type Task } from "./state.ts";
import { VIRTUAL_START } from "./time.ts";
import { machineTime } from "./timers.ts";
import { indexPayments, type World } from "./world.ts";

/** How a sandbox is set up. */
export interface SandboxOptions {
  /** The same seed and the same calls give the same transcript, ids and secrets included. @default "malipo" */
  seed?: string | number | undefined;
  /** Virtual time stands still until `clock.advance`; real time runs. @default "virtual" */
  clock?: "virtual" | "real" | undefined;
  /**
   * Which prompts are answered by themselves, 3 s after they came: `magic` those of numbers that end
   * in one of `MAGIC_SUFFIXES`, `approve` all, `none` none.
   * @default "magic"
   */
  auto?: "magic" | "approve" | "none" | undefined;
  /** Bounds of an amount. @default 1 to 250,000 */
  limits?: { minAmount?: number | undefined; maxAmount?: number | undefined } | undefined;
  /** How long a receiver may take, in real milliseconds. @default 5_000 */
  deliveryTimeoutMs?: number | undefined;
  /** What sends deliveries, such as a receiver in the same process. @default the global `fetch` */
  deliver?: Deliver | undefined;
}

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
  /** What signs every delivery. */
  readonly webhookSecret: string;
  readonly clock: Clock;
  readonly deliveries: Deliveries;
  readonly faults: Faults;
  /**
   * Makes a key.
   *
   * @throws {ConfigurationError} for a scope that its kind may not hold.
   */
  createKey(key: { kind: KeyKind; scopes?: readonly Scope[] | undefined }): string;
  /** The phone of a number, in any usual way of writing it. */
  phone(number: string): Phone;
  /** Back to the first state: clock, keys, phones, faults, log and random sequence. */
  reset(): void;
  snapshot(): SandboxSnapshot;
  /** Takes the state of a snapshot, of this or another sandbox. */
  restore(snapshot: SandboxSnapshot): void;
  /** Puts the same gateway on real HTTP, on loopback. @default port 4010; 0 takes any that is free */
  serve(options?: { port?: number | undefined }): Promise<ServedSandbox>;
}

function checkChoice(what: string, value: unknown, choices: readonly unknown[]): void {
  if (choices.includes(value)) return;
  throw new ConfigurationError(
    `${what} is ${JSON.stringify(value)}. It takes ${choices.join(", ")}.`,
  );
}

function checkOptions(options: SandboxOptions): void {
  const names = ["seed", "clock", "auto", "limits", "deliveryTimeoutMs", "deliver"];
  checkFields(options, names, "A sandbox");
  checkFields(options.limits ?? {}, ["minAmount", "maxAmount"], "`limits`");
  const { clock = "virtual", auto = "magic" } = options;
  checkChoice("A sandbox's `clock`", clock, ["virtual", "real"]);
  checkChoice("A sandbox's `auto`", auto, ["magic", "approve", "none"]);
  for (const [name, bound = 0] of Object.entries(options.limits ?? {})) {
    if (typeof bound === "number" && Number.isFinite(bound) && bound >= 0) continue;
    throw new ConfigurationError(`\`limits.${name}\` is ${String(bound)}. It takes an amount.`);
  }
  if (options.deliver !== undefined && typeof options.deliver !== "function") {
    throw new ConfigurationError("`deliver` is not a function.");
  }
  const { deliveryTimeoutMs = 1 } = options;
  if (!(deliveryTimeoutMs > 0 && Number.isFinite(deliveryTimeoutMs))) {
    throw new ConfigurationError(
      `\`deliveryTimeoutMs\` is ${deliveryTimeoutMs}. It takes milliseconds above 0.`,
    );
  }
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
  };

  const tasks: { readonly [Kind in Task["kind"]]: (task: Task & { kind: Kind }) => void } = {
    answer: ({ reference, answer }) => answerByTimer(world, reference, answer),
    expire: ({ reference }) => expirePrompt(world, reference),
    deliver: ({ delivery }) => courier.retry(delivery),
    overdue: ({ invoice }) => makeOverdue(world, invoice),
  };
  const run = (task: Task) => tasks[task.kind](task as never);

  function replace(state: State): void {
    world.state = state;
    world.generation++;
    courier.forget();
    indexPayments(world);
    clock.restart();
  }

  return {
    baseUrl: origin + prefix,
    get keys() {
      return { ...world.state.builtIn };
    },
    get webhookSecret() {
      return world.state.webhookSecret;
    },
    clock: { now: clock.now, advance: clock.advance },
    deliveries: { all: courier.all, settled: courier.settled, resend: courier.resend },
    faults: createFaults(() => world.state),
    fetch: async (input, init) => {
      const request = await apiRequestOf(origin + prefix, input, init);
      if (request === undefined) {
        throw new TypeError(`The sandbox answers for ${origin + prefix} alone.`);
      }
      const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
      return respond(handle(world, request), signal);
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
    reset: () => replace(first()),
    snapshot: () => {
      const now = clock.ms();
      const state = structuredClone(world.state);
      // An attempt under way ends in the world that it began in: the snapshot's is yet to be made.
      for (const id of courier.inFlight().reverse()) {
        const delivery = state.deliveries.find((one) => one.id === id);
        if (delivery === undefined) continue;
        delivery.tries--;
        state.timers.unshift({ at: now, task: { kind: "deliver", delivery: id } });
      }
      return { ...state, now };
    },
    restore: (snapshot) => {
      if (snapshot?.version !== 1) {
        throw new ConfigurationError(
          "This is no snapshot of a sandbox, or one of a later version. `sandbox.snapshot()` makes one.",
        );
      }
      replace(structuredClone(snapshot) as unknown as State);
    },
    serve: async (options = {}) => {
      checkFields(options, ["port"], "serve()");
      const { port = standardPort } = options;
      return serve((request) => handle(world, request), port);
    },
  };
}
