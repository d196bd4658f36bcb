import type { Receipt } from "malipo/types";

/** Signed deliveries, one after another. */
export interface DuplicateCase {
  readonly name: string;
  readonly bodies: readonly string[];
  /** What each is acknowledged as. */
  readonly kinds: readonly Receipt["kind"][];
  /** The indexes of those that are processed. */
  readonly processed: readonly number[];
  /** Why it is so, if both ways could be argued for. */
  readonly pin?: string;
}

const event = (
  data: unknown,
  kind = "payment.completed",
  timestamp = "2026-01-31T09:30:00+03:00",
) => JSON.stringify({ event: kind, timestamp, data });

const PAID = { payment_id: 71, reference: "PAY-71", amount: "100.00", status: "completed" };
const INVOICE = { reference: "INV-1", number: 1, items: [1, 2] };
const LATER = "2026-01-31T09:31:00+03:00";
const WITHOUT_KEY = event({ total: "5.00" }, "invoice.paid");

type Row = [
  name: string,
  bodies: string[],
  kinds: Receipt["kind"][],
  processed: number[],
  pin?: string,
];

/** Different events: each is processed. */
const different = (name: string, bodies: string[], pin?: string): Row =>
  [
    name,
    bodies,
    bodies.map(() => "accepted"),
    [...bodies.keys()],
    ...(pin === undefined ? [] : [pin]),
  ] as Row;

/** The same event: it is processed once. */
const same = (name: string, ...bodies: string[]): Row => [
  name,
  bodies,
  bodies.map((_, at) => (at === 0 ? "accepted" : "duplicate")),
  [0],
];

const ROWS: Row[] = [
  same("the same bytes three times", event(PAID), event(PAID), event(PAID)),
  same("another timestamp", event(PAID), event(PAID, undefined, LATER)),
  same(
    "no timestamp any more",
    event(PAID),
    JSON.stringify({ event: "payment.completed", data: PAID }),
  ),
  same(
    "the fields in another order",
    event({ ...PAID, deep: { a: [1, { b: 2, c: 3 }] } }),
    event({ deep: { a: [1, { c: 3, b: 2 }] }, ...PAID }),
  ),
  same("other white space", event(PAID), JSON.stringify(JSON.parse(event(PAID)), null, 2)),
  same("escapes for letters", event(PAID), event(PAID).replace("PAY", "\\u0050AY")),
  same(
    "a kind that is not documented",
    event(PAID, "refund.created"),
    event(PAID, "refund.created"),
  ),
  same("no key, and the same bytes", WITHOUT_KEY, WITHOUT_KEY),
  same("only a payment_id", event({ payment_id: 71 }), event({ payment_id: 71 }, undefined, LATER)),
  [
    "the same key with other data, then either again",
    [
      event(PAID),
      event({ ...PAID, amount: "999.00" }),
      event({ ...PAID, amount: "999.00" }),
      event(PAID),
    ],
    ["accepted", "conflict", "conflict", "duplicate"],
    [0],
  ],
  ...["status", "currency", "account_reference"].map(
    (name): Row => [
      `the same payment with another ${name}`,
      [event(PAID), event({ ...PAID, [name]: "other" })],
      ["accepted", "conflict"],
      [0],
    ],
  ),
  same(
    "other fields of a payment, which a read of it may not have either",
    event({ ...PAID, items: [1, 2] }),
    event({ ...PAID, payer_name: "A. Otieno", payment_id: "71" }),
    event({ ...PAID, amount: 100 }),
    event({ ...PAID, amount: "0100.0", currency: null, account_reference: "" }),
  ),
  same(
    "a failed payment, with the fields that only a read has",
    event({ ...PAID, status: "failed" }, "payment.failed"),
    event({ ...PAID, status: "failed", currency: "KES", account_reference: "A" }, "payment.failed"),
  ),
  ...(
    [
      ["a field more", { ...INVOICE, payer_name: "A. Otieno" }],
      ["a list in another order", { ...INVOICE, items: [2, 1] }],
      ["a text for a number", { ...INVOICE, number: "1" }],
      ["brackets in a text for a list", { ...INVOICE, items: '["[" , "]"]' }],
    ] as const
  ).map(
    ([name, data]): Row => [
      `an event that is not a payment, with ${name}`,
      [event(INVOICE, "invoice.paid"), event(data, "invoice.paid")],
      ["accepted", "conflict"],
      [0],
      "its data is not documented: a person decides what matters",
    ],
  ),
  [
    "a payment without an amount, with a field more",
    [event({ reference: "PAY-71" }), event({ reference: "PAY-71", note: "b" })],
    ["accepted", "conflict"],
    [0],
    "nothing says that both are about the same money",
  ],
  different("pending, then completed", [
    event({ ...PAID, status: "pending" }, "payment.initiated"),
    event(PAID),
  ]),
  different("completed, then a stale pending", [
    event(PAID),
    event({ ...PAID, status: "pending" }, "payment.initiated"),
  ]),
  different("failed, then completed after all", [
    event({ ...PAID, status: "failed" }, "payment.failed"),
    event(PAID),
  ]),
  different("another reference", [event(PAID), event({ ...PAID, reference: "PAY-72" })]),
  different("references that differ in case", [
    event({ reference: "pay-71" }),
    event({ reference: "PAY-71" }),
  ]),
  different("references of other code points", [
    event({ reference: "\u00e9" }),
    event({ reference: "e\u0301" }),
  ]),
  different(
    "a text and a number for reference",
    [event({ reference: "71" }), event({ reference: 71 })],
    "what they name need not be one",
  ),
  different("a reference and a payment_id of one value", [
    event({ reference: "71" }),
    event({ payment_id: "71" }),
  ]),
  different("dots in kinds and references", [
    event({ reference: "c.d" }, "a.b"),
    event({ reference: "b.c.d" }, "a"),
    event({ reference: "d" }, "a.b.c"),
  ]),
  different("an empty reference beside payment_ids", [
    event({ reference: "", payment_id: 1 }),
    event({ reference: "", payment_id: 2 }),
  ]),
  different(
    "no key, and another timestamp",
    [WITHOUT_KEY, event({ total: "5.00" }, "invoice.paid", LATER)],
    "nothing but the bytes tells them apart",
  ),
  ...[null, true, [71], { id: 71 }, 0.5].map((reference) =>
    different(`${JSON.stringify(reference)} for a reference`, [
      event({ reference }),
      event({ reference, note: "other" }),
    ]),
  ),
  different(
    "payment_ids past 2^53",
    ["9007199254740992", "9007199254740993"].map(
      (id) => `{"event":"payment.completed","data":{"payment_id":${id}}}`,
    ),
    "a parser makes one number of both",
  ),
  different(
    "a reference that only __proto__ holds",
    ["a", "b"].map(
      (total) => `{"event":"a","data":{"__proto__":{"reference":"PAY-71"},"total":"${total}"}}`,
    ),
  ),
];

export const DUPLICATE_CASES: readonly DuplicateCase[] = ROWS.map(
  ([name, bodies, kinds, processed, pin]) => ({
    name,
    bodies,
    kinds,
    processed,
    ...(pin !== undefined && { pin }),
  }),
);
