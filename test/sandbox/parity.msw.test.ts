import { isDeepStrictEqual } from "node:util";
import { gatewayHandlers } from "malipo/msw";
import { setupServer } from "msw/node";
import { expect, test } from "vitest";
import { inProcess, recordTranscript } from "../suites/sandbox-script.ts";
import { TRANSPORT_LIMITS, without } from "../suites/sandbox-transports.ts";

// The strategy's name in msw 2, and in msw 3.
const STRICT = { onUnhandledRequest: "error", onUnhandledFrame: "error" } as const;

test("one script has the same transcript through msw, except for the listed limits", async () => {
  const direct = await recordTranscript(inProcess);
  const mocked = await recordTranscript((sandbox) => {
    const server = setupServer(...gatewayHandlers(sandbox));
    server.listen(STRICT);
    return {
      baseUrl: sandbox.baseUrl,
      fetch: (url, init) => fetch(url, init),
      close: () => server.close(),
    };
  });
  expect(without(mocked, TRANSPORT_LIMITS.msw)).toEqual(without(direct, TRANSPORT_LIMITS.msw));
  const differing = direct.filter((entry, at) => !isDeepStrictEqual(entry, mocked[at]));
  expect(new Set(differing.map(({ errorCode }) => errorCode))).toEqual(new Set(["ECONNRESET"]));
});
