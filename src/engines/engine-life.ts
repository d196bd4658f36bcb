// What all engines do with the stores that they return: a store opens when it is used, is made once for the same
// options, and says so if its engine was closed.
import type { CheckoutStore } from "../checkout/orders/checkout-store.ts";
import type { Wakeups } from "../client/wakeups/local.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import type { IdempotencyStore } from "../idempotency/idempotency-store.ts";
import { describeError } from "../internal/describe-error.ts";
import { once } from "../internal/once.ts";
import type { Inbox } from "../webhooks/inbox/inbox-types.ts";

/** A part of an engine that has tables. */
export type StoredPart = "idempotency" | "inbox" | "checkout";

/** What the tables of a part say of its options. */
export interface StoredSettings {
  readonly retentionMs?: number | undefined;
}

/** Whether an engine is open. */
export class EngineLife {
  readonly #owner: string;
  readonly #closing: (() => unknown)[] = [];
  #closed: Promise<void> | undefined;

  /** @param owner - The function of malipo that the user called, with its parameter: `sqlite(path)`. */
  constructor(owner: string) {
    this.#owner = owner;
  }

  /** @throws {ConfigurationError} after `close`. */
  check(): void {
    if (this.#closed === undefined) return;
    throw new ConfigurationError(
      `This engine was closed, so the call did nothing. Make its calls before close(), or make another engine: ${this.#owner}.`,
    );
  }

  /** Has something done when the engine closes. The last one added is done first. */
  onClose(work: () => unknown): void {
    this.#closing.unshift(work);
  }

  /** Closes once. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    // What could not be closed well must not keep the rest open.
    const failures: unknown[] = [];
    for (const work of this.#closing) {
      await Promise.resolve()
        .then(work)
        .catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** Makes a part once for the same options. */
export class PartsByOptions<Options extends object, Part> {
  readonly #made: (readonly [options: Options, part: Part])[] = [];
  readonly #make: (options: Options) => Part;

  constructor(make: (options: Options) => Part) {
    this.#make = make;
  }

  get(options: Options): Part {
    const known = this.#made.find(([one]) => isSame(one, options));
    if (known !== undefined) return known[1];
    const part = this.#make(options);
    this.#made.push([{ ...options }, part]);
    return part;
  }
}

function isSame<Options extends object>(one: Options, other: Options): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof Options>;
  return [...names].every((name) => one[name] === other[name]);
}

/** Methods that first wait for the object that has them. */
function lateMethods<Part extends object, Name extends keyof Part & string>(
  names: readonly Name[],
  load: () => Promise<Part>,
): Pick<Part, Name> {
  const methodOf =
    (name: Name) =>
    async (...given: unknown[]) => {
      const part = await load();
      const method = part[name] as unknown as (...given: unknown[]) => unknown;
      return method.apply(part, given);
    };
  return Object.fromEntries(names.map((name) => [name, methodOf(name)])) as unknown as Pick<
    Part,
    Name
  >;
}

const STORE_METHODS = ["begin", "read", "finish", "forget", "resolve", "list"] as const;

/** A store of idempotency keys that is made at its first use. @param ready - Resolves when it can be used. */
export const lateStore = (
  make: () => Promise<IdempotencyStore>,
  digest: IdempotencyStore["digest"],
  ready: () => unknown,
): IdempotencyStore => ({
  ...lateMethods(STORE_METHODS, async () => {
    await ready();
    return make();
  }),
  digest,
});

const ORDER_METHODS = [
  ...(["open", "read", "orderOf", "labelled", "commit", "due", "list", "byPhone"] as const),
  ...(["keep", "unmatched", "resolve", "strayOf", "addDecision", "decisions"] as const),
] as const;

/** A store of orders, by what loads it. */
export const lateOrders = (
  load: () => Promise<CheckoutStore>,
): Pick<CheckoutStore, (typeof ORDER_METHODS)[number]> => lateMethods(ORDER_METHODS, load);

const LIST_METHODS = ["list", "read", "requeue", "drop"] as const;

/**
 * What an inbox does, but for its stop, by what loads it.
 *
 * @param retentionMs - As `Inbox.retentionMs`. Without it, events of any age are processed.
 */
function inboxMethods(load: () => Promise<Inbox>, retentionMs?: number): Omit<Inbox, "stop"> {
  // An inbox that an engine makes has them all.
  const all = load as () => Promise<Required<Inbox>>;
  const listOf =
    <Name extends "deadLetters" | "conflicts" | "waiting" | "doublePayments">(name: Name) =>
    async (): Promise<NonNullable<Inbox[Name]>> =>
      (await all())[name] as NonNullable<Inbox[Name]>;
  return {
    ...lateMethods(["accept", "start", "drain", "stats"], all),
    ...(retentionMs !== undefined && { retentionMs, ...lateMethods(["horizon"], all) }),
    deadLetters: lateMethods(LIST_METHODS, listOf("deadLetters")),
    conflicts: lateMethods(LIST_METHODS, listOf("conflicts")),
    waiting: lateMethods(["list", "read"], listOf("waiting")),
    doublePayments: lateMethods(["add", "list", "drop"], listOf("doublePayments")),
  };
}

/** An inbox that is made at its first use. @param retentionMs - See {@link inboxMethods}. */
export function lateInbox(make: () => Promise<Inbox>, retentionMs?: number): Inbox {
  let made: Promise<Inbox> | undefined;
  let isStopped = false;
  const makeOnce = once(make);
  const load = () => {
    if (isStopped && made === undefined) return Promise.reject(new Error("The inbox was stopped."));
    made = makeOnce();
    return made;
  };
  return {
    ...inboxMethods(load, retentionMs),
    stop: async (timeoutMs) => {
      isStopped = true;
      await (await made)?.stop(timeoutMs);
    },
  };
}

/** Wake-ups that connect at the first wait or notification, and are closed with their engine. */
export function lateWakeups(
  life: EngineLife,
  make: () => Wakeups & { close(): Promise<void> },
): Wakeups {
  let made: ReturnType<typeof make> | undefined;
  const own = () => {
    if (made !== undefined) return made;
    made = make();
    life.onClose(made.close);
    return made;
  };
  return {
    wake: (reference, lookNow) => own().wake(reference, lookNow),
    wakeOf: (merchant) => (reference, lookNow) => own().wakeOf(merchant)(reference, lookNow),
    notify: (...payment) => own().notify(...payment),
  };
}

/**
 * Loads a part that needs a package which the user installs.
 *
 * @throws {ConfigurationError} if the package is not installed.
 */
export async function withPackage<Part>(
  name: string,
  what: string,
  load: () => Promise<Part>,
): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    const isMissing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
    if (!isMissing || !String(message).includes(name)) throw error;
    throw new ConfigurationError(
      `${what} requires the package ${name}, which is not installed. Install it: npm install ${name}`,
      { cause: error },
    );
  }
}

/** What is wrong, as `check` of an engine lists it: the sentence of each work that fails. */
export async function failuresOf(...works: readonly (() => unknown)[]): Promise<string[]> {
  const found: string[] = [];
  for (const work of works) {
    try {
      await work();
    } catch (error) {
      found.push(error instanceof ConfigurationError ? error.message : `${describeError(error)}.`);
    }
  }
  return [...new Set(found)];
}
