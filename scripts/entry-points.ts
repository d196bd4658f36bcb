/**
 * The entry points of the package, by the name behind `malipo/`, and the file that each starts from.
 * The build, the test aliases, the unused-code check and the manual read this list; a test holds
 * `exports` of package.json and `paths` of tsconfig.json equal to it.
 */
export const ENTRY_POINTS = {
  index: "src/index.ts",
  webhooks: "src/webhooks/index.ts",
  fetch: "src/webhooks/adapters/fetch.ts",
  node: "src/webhooks/adapters/node.ts",
  fastify: "src/webhooks/adapters/fastify.ts",
  lambda: "src/webhooks/adapters/lambda.ts",
  sqlite: "src/engines/sqlite.ts",
  postgres: "src/engines/postgres.ts",
  mysql: "src/engines/mysql.ts",
  redis: "src/engines/redis.ts",
  checkout: "src/checkout/index.ts",
  sandbox: "src/sandbox/index.ts",
  msw: "src/sandbox/msw.ts",
  learn: "src/learn/index.ts",
  types: "src/types.ts",
  status: "src/client/status/index.ts",
  react: "src/integrations/react.ts",
  otel: "src/integrations/otel/index.ts",
  operator: "src/operator/index.ts",
} as const;

/** What the package imports by its own `#` names: chosen by the runtime, or loaded when asked for. */
export const INTERNAL_IMPORTS = {
  "#hmac": "src/internal/hmac/node-hmac.ts",
  "#platform": "src/client/platform/node-platform.ts",
  "#memory": "src/engines/memory-parts.ts",
  "#page": "src/sandbox/page/server.ts",
} as const;

/** The name that a user imports. */
export const moduleName = (entry: string): string =>
  entry === "index" ? "malipo" : `malipo/${entry}`;
