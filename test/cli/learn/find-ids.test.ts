import { describe, expect, test } from "vitest";
import { isListed } from "../../../src/learn/probe/created.ts";
import {
  findCursor,
  findField,
  findMarkedIds,
  findPossibleIds,
  firstId,
  hasMark,
} from "../../../src/learn/probe/find-fields.ts";
import { unknownIdLike } from "../../../src/learn/probe/step-values.ts";

const MARK = "malipo probe 1";

describe("the ids of a resource", () => {
  test.each([
    [{ id: 7, name: MARK }, ["7"]],
    [{ data: { webhook_id: "w-1", name: MARK } }, ["w-1"]],
    [{ data: { webhookId: "w-1", name: MARK } }, ["w-1"]],
    [{ data: { webhook: { uuid: "u", name: MARK } }, id: 9 }, ["u"]],
    [
      [
        { id: 1, name: "other" },
        { id: 2, name: MARK },
      ],
      ["2"],
    ],
    [{ id: 3, uuid: "u", number: "N", name: MARK }, ["3", "u", "N"]],
    [{ id: null, uuid: "", _id: 1.5, name: MARK }, []],
    // No segment of a path: `DELETE /webhooks/..` would be one of everything.
    [{ id: "..", uuid: ".", number: "\ud800", name: MARK }, []],
    [{ merchant_id: 4, invoice_id: 5, name: MARK }, []],
    [{ data: { _id: { $oid: "o" }, name: MARK } }, ["o"]],
    ["text", []],
    [undefined, []],
  ])("are those beside the mark: %j", (body, ids) => {
    expect(findMarkedIds(body, "webhook", MARK)).toEqual(ids);
  });

  test.each([
    [{ data: { type: "webhook", id: "7", attributes: { name: MARK } } }, ["7"]],
    [{ id: "r", data: { id: "7", attributes: { info: { name: MARK } } } }, ["7"]],
    [{ metadata: { uid: "u" }, spec: { name: MARK } }, ["u"]],
    [{ sys: { id: "s" }, fields: { name: { en: MARK } } }, ["s"]],
    [
      {
        data: [
          { id: 1, attributes: { name: "other" } },
          { id: 2, about: { name: MARK } },
        ],
      },
      ["2"],
    ],
    [{ data: [{ webhook: { name: MARK }, ids: { webhook_id: 3 }, merchant: { id: 9 } }] }, ["3"]],
    [{ data: { id: "7", attributes: { name: MARK, number: "N" } } }, ["7", "N"]],
    [{ id: "of the request", data: { name: MARK } }, []],
    [{ id: "of the page", data: [{ name: MARK }] }, []],
  ])("are those around the mark if none is beside it: %j", (body, ids) => {
    expect(findMarkedIds(body, "webhook", MARK)).toEqual(ids);
  });

  test("are all possible ones if nothing repeats the mark, the innermost first", () => {
    const body = { id: 1, request: { id: "r" }, data: { invoice: { invoice_id: 5 } } };
    expect(findPossibleIds(body, "invoice")).toEqual(["r", "5", "1"]);
    expect(hasMark(body, MARK)).toBe(false);
  });

  test("of a list are those of its first item", () => {
    expect(firstId({ links: [], data: { rows: [{ id: 5 }, { id: 4 }] } }, "invoice")).toBe("5");
    expect(firstId({ data: [] }, "invoice")).toBeUndefined();
  });
});

test("a field is found where it stands outermost", () => {
  expect(findField({ data: { x: { reference: "inner" }, reference: "R" } }, "reference")).toBe("R");
  expect(findField({ data: [] }, "reference")).toBeUndefined();
});

test("a cursor is a text beside a list that is not a URL", () => {
  expect(findCursor({ items: [{ next: "x" }], meta: { next_cursor: "abc" } })).toBe("abc");
  expect(findCursor({ links: { next: "https://a.example?page=2" }, next_page: 2 })).toBeUndefined();
});

test("a resource that a list shows as deleted is not left", () => {
  expect(isListed({ data: [{ name: MARK, status: "active" }] }, MARK)).toBe(true);
  expect(isListed({ data: [{ name: MARK, status: "deleted" }] }, MARK)).toBe(false);
  expect(isListed({ data: [{ name: MARK, deleted_at: "2026-01-01" }] }, MARK)).toBe(false);
});

test.each([
  ["PAY-7Q2M9X4K", /^PAY-\d[A-Z]\d[A-Z]\d[A-Z]\d[A-Z]$/],
  ["inv_a1B2", /^inv_[a-z]\d[A-Z]\d$/],
  ["77", /^21474\d{5}$/],
  ["900000000001", /^\d{12}$/],
  ["0b6f7c8e-1c9f-4c55-9b0a-6f3f3f0f9b11", /^[\da-f-]{36}$/],
  [undefined, /^malipo-probe-unknown$/],
  // Nothing in them can be another one: the id would be that of a resource.
  ["---", /^malipo-probe-unknown$/],
  ["№–Ж", /^malipo-probe-unknown$/],
])("an unknown id has the kind of %s", (id, form) => {
  expect(unknownIdLike(id)).toMatch(form);
  expect(unknownIdLike(id)).not.toBe(id);
});
