import { expect, test } from "vitest";
import { Recorder } from "../../../src/learn/recorder.ts";
import { encodeProfile } from "../../../src/profile/file-format.ts";
import { findPaging } from "../../../src/profile/paging.ts";
import { createSandbox } from "../../../src/sandbox/index.ts";

type Row = readonly [method: string, path: string, status: number, body: object, more?: object];

/** A sandbox with the profile of what was seen. */
function sandboxOf(...rows: readonly Row[]) {
  const recorder = new Recorder({ by: "probe" });
  for (const [method, path, status, body, more] of rows) {
    const exchange = { method, path, status, headers: [], body: JSON.stringify(body), ...more };
    recorder.record(exchange);
  }
  const profile = recorder.profile();
  const sandbox = createSandbox({ profile: encodeProfile(profile), auto: "none" });
  const call = async (method: string, path: string, body?: object) => {
    const response = await sandbox.fetch(sandbox.baseUrl + path, {
      method,
      headers: { "x-api-key": sandbox.keys.secret },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
  };
  return { sandbox, call, profile };
}

const PAYMENT = { reference: "R1", amount: "1.00", status: "pending", phone: "254712345678" };
const INITIATE = "/mobile-money/payment/initiate";

test("a failed payment has its reason, even if the probe never saw one", async () => {
  const { sandbox, call } = sandboxOf([
    "GET",
    "/payments/R1",
    200,
    { success: true, data: PAYMENT },
  ]);
  const phone = "254712345678";
  const { body } = await call("POST", INITIATE, { amount: 5, phone });
  sandbox.phone(phone).cancel();
  const { data } = (await call("GET", `/payments/${body.data.reference}`)).body;
  expect(data.status).toBe("failed");
  expect(data).toMatchObject({ failure_reason: expect.any(String), retry_possible: true });
});

test.each(["_id", "invoiceNumber", "request_code", "number"])(
  "accepts the ids that it returns itself under the name %s",
  async (name) => {
    const { call } = sandboxOf(
      ["POST", "/invoices", 201, { [name]: "INV-77", amount: "1.00" }],
      ["GET", "/invoices/INV-77", 200, { [name]: "INV-77", amount: "1.00" }],
    );
    const created = await call("POST", "/invoices", { amount: 5 });
    const read = await call("GET", `/invoices/${created.body[name]}`);
    expect([read.status, read.body[name]]).toEqual([200, created.body[name]]);
  },
);

test("the learned type and format overrule what a name means", async () => {
  const invoice = { id: 7, status: 3, valid: 1, created_at: "2026-01-02 03:04:05", code: "0" };
  const { call } = sandboxOf(["GET", "/invoices/7", 200, invoice]);
  const created = await call("POST", "/invoices", { amount: 5 });
  const { body } = await call("GET", `/invoices/${created.body.id}`);
  expect(body.status).toEqual(expect.any(Number));
  expect(body.valid).toEqual(expect.any(Number));
  expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  expect(body.code).toBe("0");
});

test("an error that is keyed by field at its top keeps its shape", async () => {
  const { call } = sandboxOf([
    "POST",
    "/mobile-money/validate-phone",
    400,
    { phone: ["This field is required."] },
    { cause: "invalid_field", hasBody: true },
  ]);
  const { status, body } = await call("POST", "/mobile-money/validate-phone", {});
  expect(status).toBe(400);
  expect(body).toEqual({ phone: [expect.any(String)] });
});

test("learned headers that clients read are sent", async () => {
  const headers = [["location", "/v1/invoices/7"]];
  const { call } = sandboxOf(["POST", "/invoices", 201, { id: 7 }, { headers }]);
  expect((await call("POST", "/invoices", { amount: 5 })).headers.get("location")).toBe("/");
});

test("a payment that comes between two reads makes no parameter effective", () => {
  const item = (n: number, status = "pending") => ({ reference: `R${n}`, status });
  const page = (query: string, ...items: object[]): Row => [
    "GET",
    "/payments",
    200,
    { data: items },
    { query: new URLSearchParams(query) },
  ];
  const { profile } = sandboxOf(
    page("", item(2), item(1)),
    // The service ignores the offset: there is a new payment, and another has ended.
    page("offset=1", item(3), item(2, "completed"), item(1)),
  );
  expect(findPaging(profile, "GET /payments").parameters.offset).toBeUndefined();
});

test("a link to another page is there only if there is another page", async () => {
  const url = "https://pay.example/invoices";
  const link = (page: number) => ({ href: `${url}?page=${page}` });
  const around = { first: link(1), last: link(2), self: link(1) };
  const page = (query: string, id: number, links: object): Row => [
    "GET",
    "/invoices",
    200,
    { _links: { ...around, ...links }, data: [{ id }] },
    { query: new URLSearchParams(query) },
  ];
  const { call } = sandboxOf(
    page("", 2, { next: link(2) }),
    page("page=1&per_page=1", 2, { next: link(2) }),
    page("page=2&per_page=1", 1, { prev: link(1) }),
  );
  for (const amount of [5, 6]) await call("POST", "/invoices", { amount });
  const linksOf = async (query: string) => (await call("GET", `/invoices?${query}`)).body._links;
  expect((await linksOf("page=1&per_page=1")).next.href).toMatch(/page=2$/);
  expect(Object.keys(await linksOf("page=1&per_page=1"))).toEqual([
    "first",
    "last",
    "next",
    "self",
  ]);
  expect(Object.keys(await linksOf("page=2&per_page=1"))).toEqual([
    "first",
    "last",
    "prev",
    "self",
  ]);
});
