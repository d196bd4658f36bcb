import { describe, expect, test } from "vitest";
import { merchantRequest } from "../../../../src/webhooks/receiver/merchants/merchant-request.ts";

describe("what tells merchants apart", () => {
  test.each([
    ["/webhooks/shop-1?a=b", { host: "pay.test:8080" }, "http://pay.test:8080/webhooks/shop-1?a=b"],
    ["//evil.test/x", { host: "pay.test" }, "http://pay.test//evil.test/x"],
    ["/x", { host: "pay.test/webhooks/shop-1" }, "http://localhost/x"],
    ["/x", { host: "a@b" }, "http://localhost/x"],
    ["/x", { host: "[::1]:80" }, "http://[::1]/x"],
    ["/x", {}, "http://localhost/x"],
    [undefined, {}, "http://localhost/"],
    ["https://pay.test/webhooks/shop-1", {}, "https://pay.test/webhooks/shop-1"],
    ["http://[", { host: "[" }, "http://localhost/"],
    ["*", {}, "http://localhost/"],
  ])("the URL of %s with %j is %s", (url, headers, expected) => {
    expect(merchantRequest({ url, headers }).url.href).toBe(expected);
  });

  test.each([
    [new Headers({ "X-Merchant": "shop-1" }), "shop-1"],
    [{ "X-Merchant": "shop-1" }, "shop-1"],
    [{ "x-merchant": ["shop-1", "shop-2"] }, "shop-1, shop-2"],
    [{ "x-merchant": "shop-1", "X-MERCHANT": ["shop-2"] }, "shop-1, shop-2"],
    [{}, undefined],
    [new Headers(), undefined],
  ])("a header is found in any casing: %j", (headers, expected) => {
    expect(merchantRequest({ headers }).header("X-mErchant")).toBe(expected);
  });
});
