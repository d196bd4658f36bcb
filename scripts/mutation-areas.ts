/** A part of the source, and the tests that must fail when it changes. */
export interface Area {
  readonly name: string;
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
  /** How many changes are tested at once. */
  readonly concurrency: number;
}

// Code that needs an engine (BullMQ, Redis, PostgreSQL) is left out: its tests would start one
// for each change.
export const AREAS: readonly Area[] = [
  {
    name: "keys and errors",
    mutate: ["src/errors/*.ts", "src/contract/keys.ts"],
    tests: [
      "test/{errors,client,client/http,client/response,client/resources}/*.test.ts",
      "test/contract/keys.test.ts",
    ],
    concurrency: 2,
  },
  {
    name: "shared helpers",
    mutate: ["src/internal/*.ts"],
    tests: [
      "test/{internal,errors}/*.test.ts",
      "test/client/http/*.test.ts",
      "test/idempotency/*.test.ts",
      "test/webhooks/receiver/**/*.test.ts",
    ],
    concurrency: 2,
  },
  {
    name: "client",
    mutate: ["src/client/{call,keyed-call,request}.ts", "src/client/http/*.ts"],
    tests: [
      "test/client/*.test.ts",
      "test/client/{diagnostics,http,platform,resources,response}/*.test.ts",
      "test/idempotency/{deadline,messages,other-process,parameters,run-once}.test.ts",
      "test/idempotency/{run-once-callers,store-failures,unknown-attempts}.test.ts",
      "test/learn/observer.test.ts",
    ],
    concurrency: 2,
  },
  {
    name: "idempotency",
    mutate: [
      "src/idempotency/**/*.ts",
      "src/client/unknown-outcomes/*.ts",
      "src/storage/sqlite/*.ts",
      "!src/idempotency/{redis,postgres}/*.ts",
    ],
    tests: ["test/idempotency/**/*.test.ts", "test/client/unknown-outcomes/*.test.ts"],
    concurrency: 2,
  },
  {
    name: "webhooks",
    mutate: ["src/webhooks/{verification,receiver,adapters}/**/*.ts", "!src/webhooks/index.ts"],
    tests: [
      "test/webhooks/{verification,receiver,adapters}/**/*.test.ts",
      "test/webhooks/inbox/{memory/*,options,pace}.test.ts",
    ],
    concurrency: 2,
  },
  {
    name: "inboxes",
    mutate: ["src/webhooks/inbox/*.ts", "src/webhooks/inbox/{sql,sqlite}/*.ts"],
    tests: ["test/webhooks/inbox/{*,sqlite/*}.test.ts"],
    // These tests mostly wait.
    concurrency: 6,
  },
  {
    name: "contract",
    mutate: ["src/contract/*.ts", "!src/contract/keys.ts"],
    tests: ["test/contract/*.test.ts", "test/client/resources/*.test.ts"],
    concurrency: 2,
  },
  {
    name: "checkout",
    mutate: ["src/checkout/**/*.ts", "!src/checkout/{index,postgres/*}.ts"],
    tests: ["test/checkout/**/*.test.ts"],
    concurrency: 2,
  },
  {
    name: "sandbox",
    // The page is tested in a browser.
    mutate: ["src/sandbox/**/*.ts", "!src/sandbox/{index.ts,page/**}"],
    tests: ["test/sandbox/**/*.test.ts"],
    concurrency: 2,
  },
  {
    name: "learn",
    mutate: ["src/learn/**/*.ts", "!src/learn/index.ts"],
    tests: ["test/learn/**/*.test.ts"],
    concurrency: 2,
  },
  {
    name: "profile",
    mutate: ["src/profile/**/*.ts", "!src/profile/vocabulary/*.ts"],
    tests: ["test/learn/*.test.ts", "test/sandbox/profile/*.test.ts"],
    concurrency: 2,
  },
  {
    name: "drill",
    // What runs a shop is tested by `npm run test:long`.
    mutate: [
      "src/drill/{cases,case-run,drill-payment,drill-results,drill-settings,kept-results,machine-pace,promises,results-page,why-skipped}.ts",
    ],
    tests: ["test/drill/*.test.ts"],
    concurrency: 2,
  },
];
