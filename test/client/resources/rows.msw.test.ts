import { gatewayHandlers } from "malipo/msw";
import { createSandbox } from "malipo/sandbox";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll } from "vitest";
import { everyRow } from "../support/rows-suite.ts";

const server = setupServer();
// One strategy, as msw 3 and as msw 2 name it.
const strict = { onUnhandledFrame: "error", onUnhandledRequest: "error" } as const;
beforeAll(() => server.listen(strict));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

everyRow("over msw", () => {
  const sandbox = createSandbox({ deliver: async () => new Response() });
  server.use(...gatewayHandlers(sandbox));
  return { sandbox, baseUrl: sandbox.baseUrl };
});
