import { describe, expect, test } from "vitest";
import { compareProfiles } from "../../../src/profile/compare-profiles.ts";
import { CHECK, DIFF } from "../../../src/profile/compare-shapes.ts";
import { dialect, REAL_DIALECTS } from "../../support/dialects/index.ts";
import { FAULTS, withFaults } from "../../support/dialects/service-faults.ts";
import { SERVICE_CHANGES } from "./changes.ts";
import { probeAtOnce } from "./probe-at-once.ts";
import { compareWithSandbox } from "./probe-dialect.ts";

/** Each service with one kind of faults: all of them with each are a part of `npm run bench -- learn`. */
const RUNS = REAL_DIALECTS.map((service, index) => ({
  service,
  name: service.name,
  faults: FAULTS[index % FAULTS.length] ?? "none",
}));

/** The worst share of steps in which a learned sandbox may respond as the service does. */
const MIN_AGREEMENT = 0.85;

describe("a probe of a service with the conventions of a real one", () => {
  test.for(RUNS)(
    "$name, faults: $faults: the sandbox agrees, and a second probe finds no difference",
    async ({ service, faults }) => {
      const first = await probeAtOnce(service, { prompt: true, faults });
      const { steps, wrong } = await compareWithSandbox(withFaults(service, faults), first);
      expect(1 - wrong.length / steps).toBeGreaterThan(MIN_AGREEMENT);
      const second = await probeAtOnce(service, { prompt: true, faults });
      expect(compareProfiles(first, second, CHECK)).toEqual([]);
      expect(compareProfiles(first, second, DIFF)).toEqual([]);
    },
  );
});

describe("learn check", () => {
  test.each(Object.entries(SERVICE_CHANGES))("sees that %s", async (_name, change) => {
    const known = await probeAtOnce(dialect("plain"), { prompt: true, faults: "none" });
    const now = await probeAtOnce(change(dialect("plain")), { prompt: true, faults: "none" });
    expect(compareProfiles(known, now, CHECK)).not.toEqual([]);
  });
});
