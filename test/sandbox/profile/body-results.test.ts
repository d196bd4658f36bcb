import { expect, test } from "vitest";
import { formatProfile, parseProfile } from "../../../src/profile/parse-profile.ts";
import { withFaults } from "../../support/dialects/service-faults.ts";
import { UNTUNED } from "../../support/dialects/table/untuned.ts";
import { probeAtOnce } from "./probe-at-once.ts";
import { compareWithSandbox } from "./probe-dialect.ts";

/** Services that return 200 for everything, and where their bodies say how the request went. */
const PLACES: Readonly<Record<string, string>> = {
  numero: "code",
  "kcb-buni": "header.statusCode",
};
const SERVICES = UNTUNED.filter(({ name }) => name in PLACES).map((service) => ({
  name: service.name,
  service,
  place: PLACES[service.name] ?? "",
}));

test("both services are in the table", () => {
  expect(SERVICES.map(({ name }) => name).sort()).toEqual(["kcb-buni", "numero"]);
});

test.for(SERVICES)(
  "the result in the body of $name is learned, kept in the file and sent by the sandbox",
  async ({ service, place }) => {
    const profile = await probeAtOnce(service, { prompt: true, faults: "none" });
    const { success = {}, failure = {} } = profile.bodyResults?.[place] ?? {};
    expect(Object.keys(success).length).toBeGreaterThan(0);
    expect(Object.keys(failure).length).toBeGreaterThan(0);
    expect(parseProfile(JSON.parse(formatProfile(profile))).bodyResults).toEqual(
      profile.bodyResults,
    );
    const { steps, wrong } = await compareWithSandbox(withFaults(service, "none"), profile);
    expect(1 - wrong.length / steps).toBeGreaterThan(0.93);
  },
);
