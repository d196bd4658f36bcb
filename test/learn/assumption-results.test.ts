import { ASSUMPTIONS } from "malipo/sandbox";
import { describe, expect, test } from "vitest";
import { Recorder } from "../../src/learn/recorder.ts";
import { EMPTY_PROFILE } from "../../src/profile/profile-types.ts";
import { type AssumptionResult, assumptionResults } from "../../src/sandbox/assumption-results.ts";
import { learn, learnFrom } from "../sandbox/profile/learn.ts";
import { sandboxPeer } from "../sandbox/profile/peer.ts";
import { dialect, LEARNABLE_DIALECTS } from "../support/dialects/index.ts";

type Name = keyof typeof ASSUMPTIONS;

/** What the requests and the deliveries of `learn` bear on. */
const SEEN: readonly Name[] = [
  ...(["time", "keys", "errorResponses", "statuses", "lists", "paymentsInitiate"] as const),
  ...(["mobileMoneyStatus", "validatePhone", "fillers", "otherPayloads", "webhooks"] as const),
  ...(["deliverySchedule", "invoices", "deletions", "ids"] as const),
];

/** What each dialect does in another way than the sandbox, as its row in the table of dialects says. */
// biome-ignore format: one line for each row
const CONTRADICTED: Readonly<Record<string, readonly Name[]>> = {
  plain: ["errorResponses", "statuses", "deliverySchedule", "deletions", "ids"],
  laravel: ["time", "errorResponses", "statuses", "lists", "webhooks", "deliverySchedule", "invoices", "deletions", "ids"],
  nested: ["errorResponses", "statuses", "lists", "webhooks", "signingSecret", "invoices", "deletions", "ids"],
  spring: ["time", "errorResponses", "statuses", "lists", "webhooks", "deliverySchedule", "invoices", "deletions", "ids"],
  offset: ["errorResponses", "statuses", "lists", "otherPayloads", "webhooks", "deliverySchedule", "invoices", "deletions", "ids"],
  cursor: ["time", "errorResponses", "statuses", "lists", "webhooks", "deliverySchedule", "invoices", "deletions", "ids"],
  arrays: ["errorResponses", "statuses", "lists", "deliverySchedule", "deletions", "ids"],
  strict: ["errorResponses", "statuses", "lists", "validatePhone", "deliverySchedule", "invoices", "ids"],
  "html-errors": ["errorResponses", "lists", "ids"],
  busy: ["errorResponses", "ids"],
  scopeless: ["errorResponses", "statuses", "ids"],
};

/** Dialects that never deliver again: their schedule cannot be seen. */
const NEVER_RETRY = ["nested"];

const named = (
  results: readonly AssumptionResult[],
  result: AssumptionResult["result"],
): string[] => results.filter((entry) => entry.result === result).map(({ name }) => name);

const sorted = (names: readonly string[]) => [...names].sort();

describe("the assumptions beside a service", () => {
  test.each(LEARNABLE_DIALECTS)("$name is right about every assumption", async (dialect) => {
    const results = assumptionResults(await learn(dialect));
    const contradicted = CONTRADICTED[dialect.name] ?? [];
    const confirmed = SEEN.filter((name) => !contradicted.includes(name)).filter(
      (name) => name !== "deliverySchedule" || !NEVER_RETRY.includes(dialect.name),
    );
    expect(sorted(named(results, "contradicted"))).toEqual(sorted(contradicted));
    expect(sorted(named(results, "confirmed"))).toEqual(sorted(confirmed));
    expect(results.map(({ name }) => name)).toEqual(Object.keys(ASSUMPTIONS));
    for (const { result, seen, assumed, found } of results) {
      expect(seen > 0).toBe(result !== "unseen");
      expect(found === null).toBe(result !== "contradicted");
      expect(assumed).not.toBe("");
    }
  });

  test("says what the service does in another way", async () => {
    const cursor = LEARNABLE_DIALECTS.find(({ name }) => name === "cursor");
    const results = cursor && assumptionResults(await learn(cursor));
    const found = Object.fromEntries(results?.map((entry) => [entry.name, entry.found]) ?? []);
    expect(found.lists).toBe(
      "the list is items; the paging fields are has_more and next_cursor; ?limit sets the page length; ?cursor is the cursor; ?page has no effect",
    );
    expect(found.deliverySchedule).toBe(
      "redelivery 1 comes after 1 min; redelivery 2 comes after 1 h",
    );
    expect(found.ids).toContain("the id of an invoice is invoice_id, a word");
  });

  test("that is a sandbox confirms every assumption that can be seen", async () => {
    const { perPage: defaultSize, maxPerPage: maxSize } = ASSUMPTIONS.lists.value;
    const paging = { kind: "page", at: "page", size: "per_page", defaultSize, maxSize } as const;
    const names = { ...dialect("plain"), paging };
    const results = assumptionResults(await learnFrom(sandboxPeer({}), names));
    expect(named(results, "contradicted")).toEqual([]);
    expect(sorted(named(results, "confirmed"))).toEqual(sorted([...SEEN, "browsers"]));
  });

  test("of which nothing was seen decides nothing", () => {
    const results = assumptionResults(EMPTY_PROFILE);
    expect(named(results, "unseen")).toEqual(Object.keys(ASSUMPTIONS));
  });
});

describe("an assumption", () => {
  const recorded = (exchange: object) => {
    const recorder = new Recorder({ by: "probe" });
    const merchant = { method: "GET", path: "/merchant", status: 200, headers: [], body: "{}" };
    recorder.record({ ...merchant, ...exchange });
    const results = assumptionResults(recorder.profile());
    return (name: Name) => results.find((entry) => entry.name === name);
  };

  test("about browsers is contradicted if a request with an Origin is not allowed", () => {
    expect(recorded({ hasOrigin: true })("browsers")?.result).toBe("contradicted");
    expect(recorded({})("browsers")?.result).toBe("unseen");
    const headers = [["access-control-allow-origin", "*"]] as const;
    expect(recorded({ hasOrigin: true, headers })("browsers")?.result).toBe("confirmed");
  });

  test("about sandbox keys is contradicted if one is rejected", () => {
    const rejected = recorded({ key: "sandbox", status: 403, body: "{}" });
    expect(rejected("keys")?.found).toBe("it may not call GET /merchant");
    expect(recorded({ key: "sandbox" })("keys")?.result).toBe("confirmed");
  });

  test("about phone numbers is contradicted if one that cannot be charged is rejected", () => {
    const path = { method: "POST", path: "/mobile-money/validate-phone", cause: "unusable_phone" };
    expect(recorded({ ...path, status: 422 })("validatePhone")?.found).toBe(
      "422 for a number that cannot be charged",
    );
    const body = JSON.stringify({ success: true, data: { valid: false, phone: "0812345678" } });
    expect(recorded({ ...path, body })("validatePhone")?.result).toBe("confirmed");
  });
});
