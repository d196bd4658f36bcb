/** Which changes no test can notice, or none needs to, and why. What a row names must fit. */
export interface Reason {
  /** How the path of the file ends. */
  readonly path: string;
  readonly mutator?: string;
  readonly original?: RegExp;
  readonly replacement?: RegExp;
  readonly reason: string;
}

const SAME = {
  defaults: "No default that is no text of this kind changes what follows.",
  tie: "Either side of a tie gives the same.",
  signal: "A signal that is not there has aborted nothing: this is not reached without one.",
};

export const REASONS: readonly Reason[] = [
  {
    path: "client/retry-after.ts",
    original: /trim\(\)$/,
    reason: "`Headers` has trimmed it; the trim is for what is handed in place of one.",
  },
  { path: "client/retry-after.ts", original: /^""$/, reason: SAME.defaults },
  {
    path: "client/retry-after.ts",
    original: /endsWith/,
    reason: "V8 reads a date that ends with GMT twice; other engines need not.",
  },
  {
    path: "client/send.ts",
    original: /^"not_sent"$/,
    reason:
      "What is worse than nothing is whatever comes, and a call without attempt has no outcome.",
  },
  {
    path: "client/send.ts",
    original: /^typeof told !== "function"$/,
    reason: "`tell` asks the same; asking first saves it the work.",
  },
  { path: "client/send.ts", original: /^signal\?\.reason$/, reason: SAME.signal },
  { path: "client/send.ts", original: /^left < timeoutMs$|>= deadline$/, reason: SAME.tie },
  {
    path: "idempotency/canonical.ts",
    mutator: "EqualityOperator",
    original: /^a < b$/,
    replacement: /^a <= b$/,
    reason: "No object has a field twice.",
  },
  {
    path: "idempotency/memory.ts",
    original: /^""$/,
    reason: "Any text does that is no attempt's owner.",
  },
  {
    path: "idempotency/one-per-key.ts",
    original: /^signal\?\.reason$/,
    reason: SAME.signal,
  },
  {
    path: "idempotency/record.ts",
    original: /^""$/,
    reason: "What succeeded has a result: the default is for the type alone.",
  },
  {
    path: "idempotency/settle.ts",
    original: /^\[\]$/,
    replacement: /^\["Stryker was here"\]$/,
    reason: "Only what follows the first is read.",
  },
  {
    path: "idempotency/sqlite.ts",
    original: /^"PRAGMA synchronous = FULL"$/,
    reason: "Node's SQLite does so by itself; the line is there in case one does not.",
  },
  {
    path: "webhooks/adapters/fetch.ts",
    original: /^left > 0$/,
    replacement: />=/,
    reason: "How much is let pass is a bound, not a promise to the byte.",
  },
  {
    path: "webhooks/adapters/fetch.ts",
    original: /^value === undefined$/,
    replacement: /^false$/,
    reason: "At the end there is no length to count either, and that ends it as well.",
  },
  {
    path: "webhooks/adapters/fetch.ts",
    original: /^(\{ method, headers, body: "" \}|"")$/,
    reason: "Of what is no POST, the receiver looks at nothing else.",
  },
  {
    path: "webhooks/node-body.ts",
    original: /^(\{ method, headers, body: "" \}|"")$/,
    reason: "Of what is no POST, the receiver looks at nothing else.",
  },
  {
    path: "webhooks/node-body.ts",
    original: /^"GET"$/,
    reason: "A server's request has a method; without one, any that is not POST is refused alike.",
  },
  {
    path: "webhooks/adapters/lambda.ts",
    original: /^"GET"$/,
    reason: "Any method that is not POST is refused alike.",
  },
  {
    path: "webhooks/event-key.ts",
    original: /^a < b$/,
    replacement: /<=/,
    reason: "No object has two fields of one name.",
  },
  {
    path: "webhooks/receiver.ts",
    original: /^given\.length > maxBodyBytes$/,
    replacement: /^false$/,
    reason: "Spares the copy of what is too large; the copy is measured again.",
  },
  {
    path: "webhooks/verify.ts",
    original: /^raw\.length < 65_536$/,
    replacement: /<=/,
    reason: "Where looking begins to cost too much is no promise to the byte.",
  },
  {
    path: "webhooks/inbox/leases.ts",
    original: /^"stopping"$/,
    reason: "Any word does that is neither of the other two.",
  },
  {
    path: "webhooks/inbox/sqlite-rows.ts",
    original: /^count === 0$/,
    replacement: /^false$/,
    reason: "With a limit of none SQLite takes none; asking first saves the statement.",
  },
  {
    path: "webhooks/inbox/sqlite-rows.ts",
    original: /^uptime - choresAt < CHORES_EVERY_MS$/,
    replacement: /<=/,
    reason: SAME.tie,
  },
  {
    path: "webhooks/inbox/sqlite-file.ts",
    original: /^"PRAGMA synchronous = FULL"$/,
    reason: "SQLite's own default, wherever it was not built with another.",
  },
  {
    path: "webhooks/inbox/sqlite-file.ts",
    original: /sleep\(20\)|Atomics\.wait|SharedArrayBuffer/,
    reason: "How long to pause between two tries is no promise: it spares the processor.",
  },
  {
    path: "webhooks/inbox/memory.ts",
    original: /^stored\.at > now\(\)$/,
    replacement: />=/,
    reason: SAME.tie,
  },
  {
    path: "webhooks/payload.ts",
    mutator: "Regex",
    reason: "V8 reads no date with more before or behind it; other engines need not refuse it.",
  },
];
