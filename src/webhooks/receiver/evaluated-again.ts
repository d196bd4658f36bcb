// After an edit, a development server evaluates a module again, in the same process, beside what the former evaluation
// started: without this, the former handlers would go on, and nobody would know why an edit has no effect.
import { environmentVariable } from "../../internal/environment.ts";
import { waitAtMost } from "../../internal/timeout.ts";
import type { Kinds } from "../inbox/kinds.ts";
import type { WebhookReceiver } from "./webhook-receiver.ts";

/** How long a receiver waits for the one before, of which a handler may run. It is safe to begin beside it. */
const LEAVE_MS = 2_000;

/** A receiver, as the others of its process see it. */
export interface Neighbour {
  readonly kinds: () => Kinds;
  /** Processes nothing more. Resolves when its handlers have ended. */
  readonly leaveTo: (successor: Pick<WebhookReceiver, "handle">) => Promise<void>;
  readonly handle: WebhookReceiver["handle"];
}

/** Both builds of the package, and each evaluation of a bundle that contains it, share one. */
interface Neighbours {
  made: number;
  /** Those that are started. */
  readonly started: Set<Turn>;
}

const SHARED = Symbol.for("malipo.receivers");

/**
 * `undefined` outside of development: there, two receivers of one database are both meant. Next, Vite and Nuxt set
 * NODE_ENV for their development servers; nothing else does by itself.
 */
function neighbours(): Neighbours | undefined {
  if (environmentVariable("NODE_ENV") !== "development") return undefined;
  const shared = globalThis as { [SHARED]?: Neighbours };
  shared[SHARED] ??= { made: 0, started: new Set() };
  return shared[SHARED];
}

function meet(one: Kinds, other: Kinds): boolean {
  if (one === undefined || other === undefined) return one?.length !== 0 && other?.length !== 0;
  return one.some((kind) => other.includes(kind));
}

/** The place of a receiver among the others of its process. */
export class Turn {
  readonly own: Neighbour;
  /** Later evaluations have higher ones. */
  readonly number: number;
  /** Where its events are: equal for two engines of one database. */
  readonly place: unknown;

  /** @param place - See `Inbox.place`. */
  constructor(own: Neighbour, place: (() => unknown) | undefined) {
    const all = neighbours();
    this.own = own;
    this.number = all === undefined ? 0 : ++all.made;
    this.place = all === undefined ? undefined : place?.();
  }

  /** Those that take events of this one. */
  #others(): Turn[] {
    if (this.place === undefined) return [];
    return [...(neighbours()?.started ?? [])].filter(
      (other) =>
        other !== this && other.place === this.place && meet(this.own.kinds(), other.own.kinds()),
    );
  }

  /** Whether a receiver of a former evaluation runs in place of this one. */
  isTaken(): boolean {
    return this.#others().some(({ number }) => number < this.number);
  }

  /** Has those before leave. `undefined` if there are none: then nothing waits. */
  take(): Promise<unknown> | undefined {
    const all = neighbours();
    if (all === undefined) return undefined;
    const before = this.#others();
    for (const other of before) all.started.delete(other);
    all.started.add(this);
    if (before.length === 0) return undefined;
    // biome-ignore lint/suspicious/noConsole: the user has edited a handler, and must see that the edit is in use
    console.info(
      "malipo: a development server has loaded your code again. The handlers that it loaded last get all events from now on, and those before get none.",
    );
    const left = before.map((other) => other.own.leaveTo(this.own));
    return waitAtMost(Promise.allSettled(left), LEAVE_MS);
  }

  /** It is not started any more. */
  release(): void {
    neighbours()?.started.delete(this);
  }
}
