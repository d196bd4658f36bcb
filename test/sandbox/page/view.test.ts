import { describe, expect, test } from "vitest";
import { linkTo, queryOf, viewIn } from "../../../src/sandbox/page/page-view.ts";
import { fc } from "../../support/properties.ts";

const FIRST = viewIn(new URLSearchParams());

describe("a view", () => {
  test("is read back from its own address", () => {
    const word = fc.string({ maxLength: 60 }).map((text) => text.trim());
    const views = fc.record(Object.fromEntries(Object.keys(FIRST).map((name) => [name, word])));
    fc.assert(
      fc.property(views, (view) => {
        const whole = { ...FIRST, ...view, flash: "" };
        expect(viewIn(new URLSearchParams(queryOf(whole)))).toEqual(whole);
      }),
    );
  });

  test("is short: the address has no first values, and never the name of a message", () => {
    expect(queryOf({ ...FIRST, flash: "3" })).toBe("");
    expect(linkTo({ ...FIRST, flash: "3" }, { payment: "PAY-1" }, "payments")).toBe(
      "/?payment=PAY-1#payments",
    );
  });

  test("cuts a text that is longer than any name", () => {
    expect(viewIn(new URLSearchParams({ payment: "x".repeat(5_000) })).payment).toHaveLength(60);
  });

  test("leads only to the page, whatever text is in it", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const link = linkTo(FIRST, { payment: text, "payments-find": text, phone: text });
        expect(new URL(link, "http://127.0.0.1:4010").origin).toBe("http://127.0.0.1:4010");
      }),
    );
  });
});
