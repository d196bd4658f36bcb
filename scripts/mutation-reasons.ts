/** Why a change of the source needs no test. Every field that a row has must fit the change. */
export interface Reason {
  /** The file, below src/. */
  readonly path: string;
  readonly mutator?: string;
  readonly original?: RegExp;
  readonly replacement?: RegExp;
  readonly reason: string;
}

const SAME = {
  defaults: "Any other text that is not of this kind has the same effect.",
  tie: "Both sides of a tie give the same result.",
  signal: "This is reached only when there is a signal.",
};

export const REASONS: readonly Reason[] = [
  {
    path: "client/http/retry-after.ts",
    original: /trim\(\)$/,
    reason: "`Headers` has trimmed it. The trim is for an object given in its place.",
  },
  { path: "client/http/retry-after.ts", original: /^""$/, reason: SAME.defaults },
  {
    path: "client/http/retry-after.ts",
    original: /endsWith\("GMT"\)/,
    reason: "V8 reads a date that ends with GMT twice. Other engines may not.",
  },
  {
    path: "client/http/call-attempts.ts",
    original: /^"not_sent"$/,
    reason: "Every outcome is at least as bad as this one, and a call without an attempt has none.",
  },
  {
    path: "client/http/call-attempts.ts",
    original: /^typeof onEnd === "function"$/,
    reason: "The function that calls the hook checks the same. Checking first saves work.",
  },
  { path: "client/http/call-attempts.ts", original: /^signal\?\.reason$/, reason: SAME.signal },
  {
    path: "client/http/call-attempts.ts",
    original: /^this\.#deadline - startedAt < timeoutMs$|^delayMs >= /,
    reason: SAME.tie,
  },
  {
    path: "client/http/call-attempts.ts",
    original: /^this\.#failed === undefined$/,
    reason: "After an abort the caller gets the reason of the abort, whatever this returns.",
  },
  {
    path: "client/http/call-attempts.ts",
    original: /^this\.#failed\?\.error$/,
    reason: "An attempt that failed has left its error. The check is only for the type.",
  },
  {
    path: "idempotency/memory/store.ts",
    original: /^""$/,
    reason: "Any text works that is not the owner of an attempt.",
  },
  {
    path: "idempotency/run-once.ts",
    original: /^signal\?\.reason$/,
    reason: SAME.signal,
  },
  {
    path: "idempotency/record.ts",
    original: /^""$/,
    reason: "A call that succeeded has a result. The default is only for the type.",
  },
  {
    path: "client/unknown-outcomes/resolve.ts",
    original: /^\[\]$/,
    replacement: /^\["Stryker was here"\]$/,
    reason: "Only the entries after the first are read.",
  },
  {
    path: "storage/sqlite/open-file.ts",
    original: /^"PRAGMA synchronous = FULL"$/,
    reason:
      "It is the default of the SQLite in Node.js. The line is for builds with another default.",
  },
  {
    path: "webhooks/receiver/body-stream.ts",
    original: /^left > 0$/,
    replacement: />=/,
    reason: "The limit need not be exact to the byte.",
  },
  {
    path: "webhooks/receiver/body-stream.ts",
    original: /^done$/,
    replacement: /^false$/,
    reason: "At the end there is no length to count either, which also ends the loop.",
  },
  {
    path: "webhooks/adapters/fetch.ts",
    original: /^(\{ method, headers, body: "" \}|"")$/,
    reason: "The receiver reads nothing else of a request that is not a POST.",
  },
  {
    path: "webhooks/adapters/node-body.ts",
    original: /^(\{ method, headers, body: "" \}|"")$/,
    reason: "The receiver reads nothing else of a request that is not a POST.",
  },
  {
    path: "webhooks/adapters/node-body.ts",
    original: /^"GET"$/,
    reason:
      "A request to a server has a method. Every method but POST is rejected in the same way.",
  },
  {
    path: "webhooks/adapters/lambda.ts",
    original: /^"GET"$/,
    reason: "Every method but POST is rejected in the same way.",
  },
  {
    path: "webhooks/receiver/accept.ts",
    original: /^given\.length > maxBodyBytes$/,
    replacement: /^false$/,
    reason: "It saves copying a body that is too large. The copy is measured again.",
  },
  {
    path: "webhooks/inbox/lease-worker.ts",
    original: /^"stopping"$/,
    reason: "Any text works that is neither of the other two.",
  },
  {
    path: "webhooks/verification/payload.ts",
    mutator: "Regex",
    reason: "V8 rejects a date with text before or after it. Other engines may not.",
  },
];
