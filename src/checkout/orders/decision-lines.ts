// The log of decisions in the store of a checkout: the operator's page shows it.

/** A line about a decision. It has no phone and no name of a customer. */
export interface DecidedLine {
  /** The decision that it belongs to. */
  readonly decision: string;
  readonly state: "planned" | "taken_back" | "started" | "done" | "failed";
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** The person who decided. */
  readonly by?: string | undefined;
  /** What will be done, was done, or why it was not. */
  readonly text: string;
  /** What it is about. */
  readonly about?: string | undefined;
  /** The order that it is about. */
  readonly orderId?: string | undefined;
  /** The reference of the payment that it is about. */
  readonly payment?: string | undefined;
}

/** The lines of a decision that is made and done at once. */
export function linesOf(
  given: Pick<DecidedLine, "by" | "text" | "about" | "orderId" | "payment">,
): DecidedLine[] {
  const [decision, at] = [crypto.randomUUID(), Date.now()];
  const states = ["planned", "started", "done"] as const;
  return states.map((state) => ({ decision, state, at, ...given }));
}
