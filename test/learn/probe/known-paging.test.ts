import { describe, expect, test } from "vitest";
import { isPagingKnown } from "../../../src/learn/probe/run-probe.ts";
import type { Step } from "../../../src/learn/probe/steps.ts";

const once = { "3f9c2a71": 1 };
const asksFor = (name: string, asks: Step["asks"] = "size") =>
  ({ path: "{longestList}", query: { [name]: "2" }, asks }) as unknown as Step;

describe("a probe asks nothing about paging twice:", () => {
  test("after a parameter that has an effect, no other one is tried", () => {
    const list = { parameters: { limit: { works: once } } };
    expect(isPagingKnown(asksFor("page_size"), list, false)).toBe(true);
    expect(isPagingKnown(asksFor("page", "position"), list, false)).toBe(false);
  });

  test("a parameter that had no effect is not tried again, and others are", () => {
    const list = { parameters: { per_page: { ignored: once } } };
    expect(isPagingKnown(asksFor("per_page"), list, false)).toBe(true);
    expect(isPagingKnown(asksFor("limit"), list, false)).toBe(false);
  });

  test("the longest page is asked for once", () => {
    expect(isPagingKnown(asksFor("limit", "longest"), {}, false)).toBe(false);
    expect(isPagingKnown(asksFor("limit", "longest"), {}, true)).toBe(true);
  });
});
