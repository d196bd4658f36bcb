// What the drill knows of a payment, and what the payments of an order leave to pay.

/** A payment that the shop has started at the service, or that the customer made by hand. */
export interface DrillPayment {
  readonly reference: string;
  readonly phone: string;
  readonly amount: number;
  /** The label under which a customer can pay by hand. */
  readonly label: string;
  /** What was left to pay when the service made it. */
  readonly due: number;
  /** An earlier payment was pending or paid when the service made this one. */
  readonly isRepeat: boolean;
  /** How long after the customer's last click the phone rang. */
  readonly afterClickMs: number;
  /** What had become of the order before the service made it. */
  readonly after?: Closed["how"] | undefined;
  /** No prompt of the shop: the customer typed the shop's number and the label. */
  readonly isByHand?: true;
  /** Another phone rang than the one that the customer typed. */
  readonly isOtherPhone?: boolean;
  /** Its status at the service. */
  status: string;
  /** What reads and the list say in the place of what the sandbox knows. */
  reported?: Readonly<Record<string, unknown>>;
  /** It has become paid after it had failed: a shop that still says failed has not heard of it yet. */
  isLatePaid?: true;
}

/** An order that the shop canceled or paid back. */
export interface Closed {
  readonly how: "canceled" | "refunded";
  /** How often the customer had got the goods then. */
  readonly effects: number;
}

type Paid = Pick<DrillPayment, "amount" | "status">;

export const isPaid = ({ status }: Pick<DrillPayment, "status">): boolean => status === "completed";

/** What has come. */
export const receivedOf = (payments: readonly Paid[]): number =>
  payments.filter(isPaid).reduce((sum, { amount }) => sum + amount, 0);

/** What is left to pay of a price. */
export const dueOf = (price: number, payments: readonly Paid[]): number =>
  Math.max(price - receivedOf(payments), 0);
