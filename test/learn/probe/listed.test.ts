import { describe, expect, test } from "vitest";
import { mergeProfiles } from "../../../src/learn/index.ts";
import { Recorder } from "../../../src/learn/recorder.ts";
import { encodeProfile } from "../../../src/profile/file-format.ts";
import { probeAtOnce } from "../../sandbox/profile/probe-at-once.ts";
import { probeDialect } from "../../sandbox/profile/probe-dialect.ts";
import { dialect } from "../../support/dialects/index.ts";

const PLACE = "GET /payments";

describe("the time until a new payment is in the list", () => {
  test("is measured by a probe that starts a payment, and rounded up", async () => {
    const lagging = { ...dialect("plain"), listLag: 5 };
    const { lists } = await probeDialect(lagging, { prompt: true, faults: "none" });
    expect(lists[PLACE]?.listedWithinMs).toBe(10_000);
  });

  test("is measured up to five minutes", async () => {
    const slow = { ...dialect("plain"), listLag: 13 };
    const { lists } = await probeAtOnce(slow, { prompt: true, faults: "none" });
    expect(lists[PLACE]?.listedWithinMs).toBe(300_000);
  });

  test("is unknown without a payment", async () => {
    const { lists } = await probeDialect(dialect("plain"), { prompt: false, faults: "none" });
    expect(lists[PLACE]).not.toHaveProperty("listedWithinMs");
  });

  test("is the longest of all, in one profile and in merged ones", () => {
    const profiles = [
      [45_000, 4_000],
      [9_000, 20],
    ].map((times) => {
      const recorder = new Recorder({ by: "probe" });
      for (const ms of times) recorder.recordListed(PLACE, ms);
      return encodeProfile(recorder.profile());
    });
    const [one, other] = profiles as [(typeof profiles)[0], (typeof profiles)[0]];
    expect(one).toMatchObject({ lists: { [PLACE]: { listedWithinMs: 60_000 } } });
    expect(mergeProfiles(other, one)).toMatchObject({
      lists: { [PLACE]: { listedWithinMs: 60_000 } },
    });
  });

  test("is not learned from a payment that took longer than the longest step", () => {
    const recorder = new Recorder({ by: "probe" });
    recorder.recordListed(PLACE, 400_000);
    expect(recorder.profile().lists).toEqual({});
  });
});
