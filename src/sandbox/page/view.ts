/** What the page shows: which phone, which entries are open, which page of a list. All in the address. */
export interface View {
  /** Digits of the phone that is shown; empty for the one that needs attention. */
  readonly phone: string;
  /** Reference of the payment that is open. */
  readonly payment: string;
  /** Id of the delivery that is open. */
  readonly delivery: string;
  /** Id of the request that is open. */
  readonly request: string;
  /** Only payments with this status. */
  readonly status: string;
  /** Only payments with this text in their reference, phone or account. */
  readonly find: string;
  /** Only deliveries in this state. */
  readonly state: string;
  /** Only requests with these responses: `2xx`, `4xx`, `5xx` or `fault`. */
  readonly responses: string;
  /** Page of the payments, from 1. */
  readonly payments: number;
  /** Page of the deliveries. */
  readonly deliveries: number;
  /** Page of the requests. */
  readonly requests: number;
  /** Name of the last action's message. */
  readonly flash: string;
}

const pageIn = (query: URLSearchParams, name: string) => {
  const text = query.get(name) ?? "";
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 1;
};

const MAX_CHARACTERS = 60;

/** The view that an address asks for. Values that make no sense are left out. */
export function viewIn(query: URLSearchParams): View {
  const text = (name: string) => (query.get(name) ?? "").slice(0, MAX_CHARACTERS);
  return {
    phone: text("phone").replace(/\D/g, ""),
    payment: text("payment"),
    delivery: text("delivery"),
    request: text("request"),
    status: text("status"),
    find: text("find").trim(),
    state: text("state"),
    responses: text("responses"),
    payments: pageIn(query, "payments"),
    deliveries: pageIn(query, "deliveries"),
    requests: pageIn(query, "requests"),
    flash: text("flash"),
  };
}

/** The query of a view's address, without first pages and empty fields. */
export function queryOf(view: View): string {
  const { flash: _, ...lasting } = view;
  const fields = Object.entries(lasting).filter(([, value]) => value !== "" && value !== 1);
  return new URLSearchParams(fields.map(([name, value]) => [name, String(value)])).toString();
}

/** The address of a view with a change. */
export function linkTo(view: View, change: Partial<View>, anchor = ""): string {
  return `/?${queryOf({ ...view, ...change })}${anchor && `#${anchor}`}`;
}
