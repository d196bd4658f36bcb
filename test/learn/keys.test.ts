import { expect, test } from "vitest";
import { learn } from "./support/exchanges.ts";

const shapeOf = (body: unknown, status: number, path = "/merchant") => {
  const exchange = { method: "GET", path, status, headers: [], body: JSON.stringify(body) };
  const { endpoints, rejections } = learn("aaaaaaaa", [{ exchange }]);
  const [byStatus] = [...Object.values(endpoints), ...Object.values(rejections)];
  return Object.keys(byStatus?.[status]?.body ?? {});
};

test("a place in degrees has two fields, and is not a map", () => {
  const data = { name: "Shop", geo: { lat: -1.28, lng: 36.82 } };
  const paths = shapeOf({ success: true, data }, 200);
  expect(paths).toContain("data.geo.lat");
  expect(paths).not.toContain("data.geo.*");
});

test("an error that holds only its fault has a field, and is not a map", () => {
  const paths = shapeOf({ fault: { code: 900901, message: "Invalid credentials" } }, 401);
  expect(paths).toContain("fault.code");
});

test("messages by the name of the invalid field are that, whatever holds them", () => {
  const exchange = {
    method: "POST",
    path: "/invoices",
    status: 422,
    headers: [],
    hasBody: true,
    body: JSON.stringify({ message: { amount: ["validation.required"] }, status: "failed" }),
  };
  const { rejections } = learn("aaaaaaaa", [{ exchange }]);
  expect(Object.keys(rejections.invalid_field?.["422"]?.body ?? {})).toContain("message.{field}");
});

test("the parts of a name with a slash are names, and no value", () => {
  const body = { "v1/transaction": { id: 1 }, "users/254712345678": {}, "orders/INV-42": {} };
  const paths = shapeOf(body, 200);
  expect(paths).toContain("v1/transaction.id");
  expect(paths.join()).not.toMatch(/254712345678|INV-42/);
});

test("only codes of currencies are stored of a field currency", () => {
  const valuesOf = (currency: string) => {
    const body = JSON.stringify({ data: { currency } });
    const exchange = { method: "GET", path: "/merchant", status: 200, headers: [], body };
    const { endpoints } = learn("aaaaaaaa", [{ exchange }]);
    return endpoints["GET /merchant"]?.["200"]?.body["data.currency"]?.values;
  };
  expect(valuesOf("KES")).toEqual(["KES"]);
  expect(valuesOf("JOE")).toBeUndefined();
});
