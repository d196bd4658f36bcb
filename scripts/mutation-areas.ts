/** A part of the sources, and the tests that must notice a change in it. */
export interface Area {
  readonly name: string;
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
  /** How many changes are tried at once. */
  readonly concurrency: number;
}

// Left out is what only an engine can test (BullMQ, pg-boss, Redis, PostgreSQL): each of its tests
// would start one for each mutant.
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
    name: "client",
    mutate: ["src/client/{call,key-guard,http/{retry,retry-after,send}}.ts"],
    tests: ["test/client/**/*.test.ts"],
    concurrency: 2,
  },
  {
    name: "idempotency",
    mutate: [
      "src/client/idempotency/**/*.ts",
      "!src/client/idempotency/stores/{redis,postgres}*.ts",
    ],
    tests: ["test/client/idempotency/**/*.test.ts"],
    concurrency: 2,
  },
  {
    name: "webhooks",
    mutate: ["src/webhooks/{verification,receiver,adapters}/**/*.ts", "!src/webhooks/index.ts"],
    tests: [
      "test/webhooks/{verification,receiver,adapters}/*.test.ts",
      "test/webhooks/inbox/{memory,options,pace}.test.ts",
    ],
    concurrency: 2,
  },
  {
    name: "inboxes",
    mutate: [
      "src/webhooks/inbox/*.ts",
      "src/webhooks/inbox/sqlite/*.ts",
      "!src/webhooks/inbox/bounded.ts",
    ],
    tests: ["test/webhooks/inbox/{*,sqlite/*}.test.ts"],
    // They mostly wait.
    concurrency: 6,
  },
];
