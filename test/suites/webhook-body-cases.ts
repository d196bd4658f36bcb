import type { Expected, WireCase } from "./webhook-cases.ts";
import { BODY, EVENT, hmac, SECRET, utf8 } from "./webhook-sample.ts";

const dataOf = (fields: string) => `{"event":"payment.completed","data":{${fields}}}`;
const eventWith = (data: unknown) => ({ event: "payment.completed", data });

/** An event in which some field is these bytes. */
const withBytes = (...bytes: number[]) =>
  Uint8Array.of(...utf8('{"event":"a","data":{"n":"'), ...bytes, ...utf8('"}}'));

/** Bodies with the right signature: the content decides. */
// biome-ignore format: a table is read across
const SIGNED: [
  name: string,
  body: string | Uint8Array,
  expected: Expected,
  event?: unknown,
  pin?: string,
][] = [
  ["plain", BODY, "accepted", EVENT],
  ["pretty-printed", JSON.stringify(EVENT, null, 2), "accepted", EVENT],
  ["a byte order mark", `\uFEFF${JSON.stringify(EVENT)}`, "accepted", EVENT],
  ["a byte order mark inside a text", dataOf('"n":"a\uFEFFb"'), "accepted", eventWith({ n: "a\uFEFFb" })],
  ["CRLF between the fields", '{"event":"a",\r\n"data":{}}', "accepted", { event: "a", data: {} }],
  ["a newline behind", '{"event":"a","data":{}}\n', "accepted", { event: "a", data: {} }],
  ["decomposed letters", dataOf('"n":"e\u0301"'), "accepted", eventWith({ n: "e\u0301" })],
  ["a number written 100.00", dataOf('"a":100.00'), "accepted", eventWith({ a: 100 })],
  [
    "an integer past 2^53",
    dataOf('"id":9007199254740993'),
    "accepted",
    eventWith({ id: 9007199254740992 }),
    "JSON.parse rounds it; the raw body keeps it",
  ],
  ["letters as escapes", dataOf('"\\u0041":"\\u0042"'), "accepted", eventWith({ A: "B" })],
  ["an escaped lone surrogate", dataOf('"n":"\\ud800"'), "accepted", eventWith({ n: "\ud800" })],
  ["a field twice", dataOf('"a":1,"a":2'), "accepted", eventWith({ a: 2 }), "the last one counts, as in every JSON.parse"],
  ["an unknown event kind", '{"event":"refund.created","data":{}}', "accepted", { event: "refund.created", data: {} }],
  ["no timestamp", '{"event":"a","data":{}}', "accepted", { event: "a", data: {} }],
  [
    "fields that are not documented",
    '{"event":"a","data":{"x":[1]},"livemode":false}',
    "accepted",
    { event: "a", data: { x: [1] }, livemode: false },
  ],
  ["fields of the names constructor and toString", dataOf('"constructor":1,"toString":2'), "accepted"],
  ["a field of the name __proto__", dataOf('"__proto__":{"polluted":1}'), "accepted"],
  ["an event that only __proto__ holds", '{"__proto__":{"event":"a","data":{}}}', "payload_invalid"],
  ["100,000 lists in one another", dataOf(`"a":${"[".repeat(1e5)}${"]".repeat(1e5)}`), "accepted"],
  ["100,000 lists, never closed", "[".repeat(1e5), "payload_invalid"],
  ["empty", "", "payload_invalid"],
  ["only white space", " \n", "payload_invalid"],
  ["only a byte order mark", "\uFEFF", "payload_invalid"],
  ["a byte order mark twice", `\uFEFF\uFEFF${JSON.stringify(EVENT)}`, "payload_invalid"],
  ["a form", "event=payment.completed", "payload_invalid"],
  ["JSON cut off", BODY.subarray(0, -1), "payload_invalid"],
  ["JSON with something behind it", `${JSON.stringify(EVENT)}x`, "payload_invalid"],
  ["a byte that is not UTF-8 inside a text", withBytes(0xff), "payload_invalid"],
  ["an overlong encoding", withBytes(0xc0, 0xaf), "payload_invalid"],
  ["a letter cut off", withBytes(0xc3), "payload_invalid"],
  ["a lone surrogate as bytes", withBytes(0xed, 0xa0, 0x80), "payload_invalid"],
  ["UTF-16", new Uint8Array(Buffer.from(JSON.stringify(EVENT), "utf16le")), "payload_invalid"],
  ...["null", "true", "71", '"payment.completed"', "[]", "{}"].map(
    (root): [string, string, Expected] => [`${root} at the root`, root, "payload_invalid"],
  ),
  ["a list of events", JSON.stringify([EVENT]), "payload_invalid"],
  ["no event", '{"data":{}}', "payload_invalid"],
  ["a number for an event", '{"event":1,"data":{}}', "payload_invalid"],
  ["no data", '{"event":"a"}', "payload_invalid"],
  ["null for data", '{"event":"a","data":null}', "payload_invalid"],
  ["a list for data", '{"event":"a","data":[]}', "payload_invalid"],
  ["a text for data", '{"event":"a","data":"{}"}', "payload_invalid"],
];

const bytes = (body: string | Uint8Array) => (typeof body === "string" ? utf8(body) : body);

const signedCase = ([name, content, expected, event, pin]: (typeof SIGNED)[number]): WireCase => {
  const body = bytes(content);
  return {
    name: `body: ${name}`,
    wire: { body, headers: { "X-Service-Signature": hmac(body) } },
    secret: SECRET,
    expected,
    ...(event !== undefined && { event }),
    ...(pin !== undefined && { pin }),
  };
};

/** Bodies that something changed on the way: what was signed, and what arrived. */
// biome-ignore format: a table is read across
const CHANGED: [name: string, signed: string | Uint8Array, arrived: string | Uint8Array][] = [
  ["a byte order mark added", BODY, `\uFEFF${JSON.stringify(EVENT)}`],
  ["a byte order mark lost", `\uFEFF${JSON.stringify(EVENT)}`, BODY],
  ["invalid UTF-8 repaired", Uint8Array.of(0x22, 0xff, 0x22), '"\uFFFD"'],
  ["invalid UTF-8, of which the repair was signed", '"\uFFFD"', Uint8Array.of(0x22, 0xff, 0x22)],
  ["composed letters decomposed", dataOf('"n":"\u00e9"'), dataOf('"n":"e\u0301"')],
  ["LF made CRLF", '{"event":"a",\n"data":{}}', '{"event":"a",\r\n"data":{}}'],
  ["CRLF made LF", '{"event":"a",\r\n"data":{}}', '{"event":"a",\n"data":{}}'],
  ["a newline added", BODY, `${JSON.stringify(EVENT)}\n`],
  ["a newline lost", `${JSON.stringify(EVENT)}\n`, BODY],
  ["the keys reordered", '{"event":"a","data":{}}', '{"data":{},"event":"a"}'],
  ["100.00 made 100", dataOf('"a":100.00'), dataOf('"a":100')],
  ["an integer past 2^53 rounded", dataOf('"a":9007199254740993'), dataOf('"a":9007199254740992')],
  ["an escape resolved", dataOf('"a":"\\u0041"'), dataOf('"a":"A"')],
  ["the last byte lost", BODY, BODY.subarray(0, -1)],
  ["everything lost", BODY, ""],
  ["not JSON, and not signed", BODY, "event=payment.completed"],
];

const changedCase = ([name, signed, arrived]: (typeof CHANGED)[number]): WireCase => ({
  name: `changed: ${name}`,
  wire: { body: bytes(arrived), headers: { "X-Service-Signature": hmac(bytes(signed)) } },
  secret: SECRET,
  expected: "signature_mismatch",
});

const EMOJI = { ...EVENT, data: { payer_name: "🧾 Wanjikũ" } };
const EMOJI_BODY = utf8(JSON.stringify(EMOJI));

/** Bodies: their content, and what changed them on the way. */
export const BODY_CASES: readonly WireCase[] = [
  ...SIGNED.map(signedCase),
  ...CHANGED.map(changedCase),
  {
    name: "body: an emoji that two chunks share",
    wire: { body: EMOJI_BODY, headers: { "X-Service-Signature": hmac(EMOJI_BODY) } },
    secret: SECRET,
    expected: "accepted",
    event: EMOJI,
    splitAt: EMOJI_BODY.indexOf(0xf0) + 2,
  },
];
