/** What somebody looks at: which phone, which entry is open, which page of a list. All in the address. */
export interface View {
  /** Digits of the phone in hand; empty: the one that needs attention. */
  readonly phone: string;
  /** Reference of the payment that is open. */
  readonly payment: string;
  /** Id of the delivery that is open. */
  readonly delivery: string;
  /** Payments with this status alone. */
  readonly status: string;
  /** Payments in whose reference, phone or account this occurs. */
  readonly find: string;
  /** Page of the payments, from 1. */
  readonly payments: number;
  /** Page of the deliveries. */
  readonly deliveries: number;
  /** Names what the last action had to say. */
  readonly note: string;
}

const pageIn = (query: URLSearchParams, name: string) => {
  const text = query.get(name) ?? "";
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 1;
};

const MOST_CHARACTERS = 60;

/** The view that an address asks for. Whatever makes no sense is left out. */
export function viewIn(query: URLSearchParams): View {
  const text = (name: string) => (query.get(name) ?? "").slice(0, MOST_CHARACTERS);
  return {
    phone: text("phone").replace(/\D/g, ""),
    payment: text("payment"),
    delivery: text("delivery"),
    status: text("status"),
    find: text("find").trim(),
    payments: pageIn(query, "payments"),
    deliveries: pageIn(query, "deliveries"),
    note: text("note"),
  };
}

/** What stands in an address after the `?`; a first page and an empty field do not. */
export function queryOf(view: View): string {
  const { note: _, ...lasting } = view;
  const fields = Object.entries(lasting).filter(([, value]) => value !== "" && value !== 1);
  return new URLSearchParams(fields.map(([name, value]) => [name, String(value)])).toString();
}

/** The address of a view that differs in this from another. */
export function linkTo(view: View, change: Partial<View>, anchor = ""): string {
  return `/?${queryOf({ ...view, ...change })}${anchor && `#${anchor}`}`;
}
