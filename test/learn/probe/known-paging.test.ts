import { describe, expect, test } from "vitest";
import { isPagingKnown, parametersOf } from "../../../src/learn/probe/known-paging.ts";
import type { Step } from "../../../src/learn/probe/steps/step.ts";

const once = { "3f9c2a71": 1 };
/** At `/payments`, `limit` had an effect and `per_page` had none. */
const lists = {
  "GET /payments": { parameters: { limit: { works: once }, per_page: { ignored: once } } },
};
const asksFor = (path: string, name: string, asks: Step["asks"] = "size") =>
  ({ path, query: { [name]: "2" }, asks }) as unknown as Step;

describe("a probe asks nothing about paging twice:", () => {
  const longest = new Set<string>();
  const isKnown = (step: Step) => isPagingKnown(step, lists, longest);

  test("what works at one list is tried at the others, and nothing else", () => {
    expect(parametersOf(lists, "/invoices").size).toBe("limit");
    expect(isKnown(asksFor("/invoices", "limit"))).toBe(false);
    expect(isKnown(asksFor("/invoices", "page_size"))).toBe(true);
  });

  test("a parameter that was tried at a list is not tried there again", () => {
    expect(isKnown(asksFor("/payments", "limit"))).toBe(true);
    expect(isKnown(asksFor("/payments", "per_page"))).toBe(true);
  });

  test("the longest page of a list is asked for once", () => {
    const step = asksFor("/payments", "limit", "longest");
    expect(isKnown(step)).toBe(false);
    longest.add("/payments");
    expect(isKnown(step)).toBe(true);
  });
});
