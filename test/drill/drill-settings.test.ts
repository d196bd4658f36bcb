import { expect, test } from "vitest";
import {
  parseCheck,
  parseEffects,
  parsePlace,
  parseSettings,
} from "../../src/drill/drill-settings.ts";
import { countLines } from "../../src/drill/shop-client.ts";

const response = (body: string, headers: Record<string, string> = {}) => ({
  status: 200,
  headers: new Headers(headers),
  body,
});

test("a text is read as a customer reads it: what a script repeats does not count", () => {
  const page = response("<p>Sent. Sent.</p><script>next(`<p>Sent. Sent. Paid.</p>`)</script>");
  const effects = parseEffects("GET /orders/{id} ~ Sent.");
  expect("count" in effects && effects.count(page)).toBe(2);
  expect(parseCheck("Paid.")(page)).toBe(false);
});

const order = { status: "open", canPay: true, attempts: [{}] };

test.each([
  [{ ...order, status: "paid" }, "paid"],
  [{ ...order, status: "pending" }, "open"],
  [order, "failed"],
  // A phone that cannot pay: another one may.
  [{ ...order, canPay: false }, "failed"],
  [{ ...order, attempts: [] }, "open"],
  [{ ...order, status: "canceled" }, "failed"],
  [{ status: "pending" }, "open"],
  [{ status: "failed" }, "failed"],
  [{ status: "lost" }, undefined],
])("without checks, the body %j of an order means %s", (body, expected) => {
  const { checks } = parseSettings({ start: "true", order: "POST /orders" });
  const names = (["paid", "failed", "open"] as const).filter((name) =>
    checks[name](response(JSON.stringify(body))),
  );
  expect(names).toEqual(expected === undefined ? [] : [expected]);
});

test.each([
  ["/shipped", '{"shipped":3}', 3],
  ["/shipped", '{"shipped":[1,2]}', 2],
  ["/a~1b/0", '{"a/b":[4]}', 4],
  ["/shipped", "{}", undefined],
  ["/tickets[]", '{"tickets":[7,8]}', 2],
  ["/tickets[]", '{"tickets":2}', undefined],
  ["/seat?", '{"seat":2}', 1],
  ["/seat?", '{"seat":"B2"}', 1],
  ["/seat?", '{"seat":null}', 0],
  ["/seat?", "{}", 0],
  ["/shipped", "<p>no JSON</p>", undefined],
])("effects at %s of %s are %s", (pointer, body, expected) => {
  const effects = parseEffects(`GET /orders/{id} ${pointer}`);
  expect("count" in effects && effects.count(response(body))).toBe(expected);
});

test.each([
  ["/id", '{"id":7}', {}, "7"],
  ["/id", "{}", {}, undefined],
  ["location ~ orders/(.+)", "", { location: "/orders/A1" }, "A1"],
  ["location", "", {}, undefined],
  ["body ~ [A-Z]\\d", "<p>A1</p>", {}, "A1"],
])("an order's id at %s is found", (place, body, headers, expected) => {
  expect(parsePlace(place)(response(body, headers))).toBe(expected);
});

test("--without takes the names of what is not tried, and no others", () => {
  const raw = { start: "node shop.mjs", order: "POST /orders {}" };
  expect(parseSettings(raw).without).toEqual([]);
  expect(parseSettings({ ...raw, without: "effects, clicks" }).without).toEqual([
    "effects",
    "clicks",
  ]);
  expect(() => parseSettings({ ...raw, without: "effects,refunds" })).toThrow(
    '--without must be names of again, processes, effects, stock, cancel, refund, update, parts, clicks, statements, connection, with commas between; got "effects,refunds".',
  );
});

test("a route that changes an order tells the new price", () => {
  const raw = {
    start: "node shop.mjs",
    order: "POST /orders {}",
    cancel: "POST /orders/{id}/cancel",
  };
  const update = 'PUT /orders/{id} {"amount":{amount}}';
  const { cancel, refund, ...settings } = parseSettings({ ...raw, update, "part-payments": true });
  expect([cancel?.path, refund]).toEqual(["/orders/{id}/cancel", undefined]);
  expect(settings).toMatchObject({ partPayments: true, update: { method: "PUT" } });
  expect(() => parseSettings({ ...raw, update: "PUT /orders/{id} items=2" })).toThrow(
    "--update must have {amount}, the new price of the order",
  );
});

test.each([
  ["1", 1],
  ["12", 2],
  ["A-1", 1],
  ["a+b", 1],
  ["9", 0],
])("lines that name the order %j are counted, and those of other orders are not", (id, count) => {
  const lines = '1 tea\n12,tea\n{"order":12}\n1.5 tea to 123\nparcel for A-1\nA-12\na+b: coffee\n';
  expect(countLines(lines, id)).toBe(count);
});

test("the customers of a shop outside Kenya have numbers of its country", () => {
  const shop = { start: "true", order: "POST /orders" };
  expect(parseSettings(shop)).toMatchObject({
    ...{ country: "KE", currency: "KES", phones: "0190" },
  });
  const uganda = { ...shop, country: "ug", phones: "0729" };
  expect(parseSettings(uganda)).toMatchObject({
    ...{ country: "UG", currency: "UGX", phones: "0729" },
  });
  for (const phones of [undefined, "0190", "07", "0729 0"]) {
    expect(() => parseSettings({ ...uganda, phones })).toThrow(
      "--phones must be how phone numbers of the country UG begin, without their last six digits",
    );
  }
  expect(() => parseSettings({ ...shop, country: "DE" })).toThrow("`--country` must be the code");
});
