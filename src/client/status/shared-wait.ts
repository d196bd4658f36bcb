import type { Payment } from "../../contract/payment.ts";
import { isFinal } from "../../contract/payment-state.ts";
import { isGatewayError } from "../../errors/any.ts";
import type { WaitOptions } from "../waiting/wait-options.ts";

/** The part of a `Gateway` that reads payments. */
export interface PaymentWaiter {
  readonly payments: {
    /** See `gateway.payments.waitFor`. */
    waitFor(reference: string, options?: WaitOptions): Promise<Payment>;
  };
}

/** What is known of a payment: nothing yet, its last read, its final status, or why it cannot be read. */
export interface Known {
  readonly payment?: Payment;
  readonly final: boolean;
  readonly error?: unknown;
}

type Listener = (known: Known) => void;

/** A wait that ends without a final status begins again, while a page follows the payment. */
const WAIT_MS = 3_600_000;

/** How long a wait goes on after its last page left: pages are loaded again, and some only poll. */
const LINGER_MS = 15_000;

/** One wait for one payment, for all pages that show it. */
class SharedWait {
  readonly #listeners = new Set<Listener>();
  readonly #controller = new AbortController();
  readonly #isFinal: (payment: Payment) => boolean;
  readonly #onEnd: () => void;
  #known: Known = { final: false };
  #lingering: ReturnType<typeof setTimeout> | undefined;

  constructor(
    wait: (options: WaitOptions) => Promise<Payment>,
    finalStatuses: readonly string[],
    onEnd: () => void,
  ) {
    this.#isFinal = ({ status }) => isFinal(status) || finalStatuses.includes(status);
    this.#onEnd = onEnd;
    void this.#run(wait);
  }

  /** Calls the listener with what is known now, and at each change. Returns what ends that. */
  subscribe(listener: Listener): () => void {
    if (!isOver(this.#known)) {
      clearTimeout(this.#lingering);
      this.#lingering = undefined;
    }
    // A new function for each page, since two may pass the same one.
    const own: Listener = (known) => listener(known);
    this.#listeners.add(own);
    own(this.#known);
    return () => {
      if (this.#listeners.delete(own) && this.#listeners.size === 0) this.#endLater();
    };
  }

  async #run(wait: (options: WaitOptions) => Promise<Payment>): Promise<void> {
    const { signal } = this.#controller;
    const onUpdate = (payment: Payment) => {
      // A wait that began again reports the same status. Of a final one, the wait resolves next.
      const isNew = payment.status !== this.#known.payment?.status;
      if (isNew && !this.#isFinal(payment)) this.#publish({ payment, final: false });
    };
    while (!signal.aborted && !isOver(this.#known)) {
      try {
        const payment = await wait({ waitMs: WAIT_MS, signal, onUpdate });
        this.#publish({ payment, final: true });
      } catch (error) {
        if (isGatewayError(error) && error.code === "payment_pending") continue;
        if (!signal.aborted) this.#publish({ ...this.#known, error });
      }
    }
  }

  #publish(known: Known): void {
    this.#known = known;
    for (const listener of this.#listeners) listener(known);
    // An error is forgotten too, however often pages ask: then the payment is read again.
    if (isOver(known)) this.#endLater();
  }

  #endLater(): void {
    this.#lingering ??= setTimeout(() => {
      this.#controller.abort();
      this.#onEnd();
    }, LINGER_MS);
  }
}

/** Whether nothing follows. */
export const isOver = ({ final, error }: Known): boolean => final || error !== undefined;

/** The waits of one route, one for each payment. */
export class SharedWaits {
  readonly #gateway: PaymentWaiter;
  readonly #options: Pick<WaitOptions, "wake" | "finalStatuses">;
  readonly #waits = new Map<string, SharedWait>();

  constructor(gateway: PaymentWaiter, options: Pick<WaitOptions, "wake" | "finalStatuses">) {
    this.#gateway = gateway;
    this.#options = options;
  }

  subscribe(reference: string, listener: Listener): () => void {
    let wait = this.#waits.get(reference);
    if (wait === undefined) {
      wait = new SharedWait(
        (options) => this.#gateway.payments.waitFor(reference, { ...this.#options, ...options }),
        this.#options.finalStatuses ?? [],
        () => this.#waits.delete(reference),
      );
      this.#waits.set(reference, wait);
    }
    return wait.subscribe(listener);
  }
}
