import { vi } from "vitest";
import type { ServiceProfile } from "../../../src/profile/profile-types.ts";
import type { Dialect } from "../../support/dialects/index.ts";
import { type ProbeChoices, probeDialect } from "./probe-dialect.ts";

/**
 * Probes a service without a socket and without waiting: whenever the probe waits, the clock moves on
 * to the end of the wait. One probe at a time.
 */
export async function probeAtOnce(
  dialect: Dialect,
  choices: ProbeChoices,
): Promise<ServiceProfile> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  vi.setTimerTickMode("nextTimerAsync");
  try {
    return await probeDialect(dialect, choices, async (respond) => {
      vi.stubGlobal("fetch", (...request: Parameters<typeof fetch>) =>
        respond(new Request(...request), "/v1"),
      );
      return { port: 443, baseUrl: "https://service.example/v1", close: async () => {} };
    });
  } finally {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  }
}
