import { expect, test } from "vitest";
import { formatProfile } from "../../../src/profile/parse-profile.ts";
import { NEWEST } from "../../support/dialects/table/newest.ts";
import { UNSEEN } from "../../support/dialects/table/unseen.ts";
import { probeAtOnce } from "./probe-at-once.ts";
import { compareWithSandbox } from "./probe-dialect.ts";

/** An empty description, what is said of an invalid phone, a second status, an id with another name. */
const MIN_AGREEMENT = 0.95;

/** The phones and the names of the payers, and the references of their orders. */
const CUSTOMER = /71100000\d|DOE|"A-1"|PROBE/;

test.for([...UNSEEN, ...NEWEST].map((service) => ({ name: service.name, service })))(
  "the sandbox responds as $name does after a probe",
  async ({ service }) => {
    const profile = await probeAtOnce(service, { prompt: true, faults: "none" });
    const { steps, wrong } = await compareWithSandbox(service, profile);
    expect(formatProfile(profile)).not.toMatch(CUSTOMER);
    expect(1 - wrong.length / steps).toBeGreaterThan(MIN_AGREEMENT);
  },
);
