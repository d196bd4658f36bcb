import { describe, expect, test } from "vitest";
import { KnownPaging } from "../../../src/learn/probe/known-paging.ts";
import type { Step } from "../../../src/learn/probe/steps/step.ts";

const once = { "3f9c2a71": 1 };
/** At `/payments`, `limit` had an effect and `per_page` had none. */
const lists = {
  "GET /payments": { parameters: { limit: { works: once }, per_page: { ignored: once } } },
};
const asksFor = (path: string, name: string, asks: Step["asks"] = "size") =>
  ({ path, query: { [name]: "2" }, asks }) as unknown as Step;

describe("a probe asks nothing about paging twice:", () => {
  const known = new KnownPaging({ lists });

  test("what works at one list is tried at the others, and nothing else", () => {
    expect(known.parametersOf("/invoices").size).toBe("limit");
    expect(known.isKnown(asksFor("/invoices", "limit"))).toBe(false);
    expect(known.isKnown(asksFor("/invoices", "page_size"))).toBe(true);
  });

  test("a parameter that was tried at a list is not tried there again", () => {
    expect(known.isKnown(asksFor("/payments", "limit"))).toBe(true);
    expect(known.isKnown(asksFor("/payments", "per_page"))).toBe(true);
  });

  test("the longest page of a list is asked for once", () => {
    const step = asksFor("/payments", "limit", "longest");
    expect(known.isKnown(step)).toBe(false);
    known.noteLongest("/payments");
    expect(known.isKnown(step)).toBe(true);
  });
});
