import { isDeepStrictEqual } from "node:util";
import { gatewayHandlers } from "malipo/msw";
import { setupServer } from "msw/node";
import { expect, test } from "vitest";
import { directly, transcriptThrough } from "../suites/sandbox-script.ts";
import { CANNOT_SHOW, without } from "../suites/sandbox-skins.ts";

// The strategy's name in msw 2, and in msw 3.
const STRICT = { onUnhandledRequest: "error", onUnhandledFrame: "error" } as const;

test("one script gives the same transcript through msw, but for what is listed", async () => {
  const direct = await transcriptThrough(directly);
  const mocked = await transcriptThrough((sandbox) => {
    const server = setupServer(...gatewayHandlers(sandbox));
    server.listen(STRICT);
    return {
      baseUrl: sandbox.baseUrl,
      fetch: (url, init) => fetch(url, init),
      close: () => server.close(),
    };
  });
  expect(without(mocked, CANNOT_SHOW.msw)).toEqual(without(direct, CANNOT_SHOW.msw));
  const differing = direct.filter((entry, at) => !isDeepStrictEqual(entry, mocked[at]));
  expect(new Set(differing.map(({ code }) => code))).toEqual(new Set(["ECONNRESET"]));
}, 60_000);
