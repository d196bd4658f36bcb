import { describe, expect, test } from "vitest";
import {
  isLoopback,
  linkAddress,
  ownPath,
  requestUrl,
  withoutTrailingSlashes,
} from "../../src/internal/urls.ts";
import { fc } from "../support/properties.ts";

const hostOf = (address: string) => new URL(address).hostname;

describe("this machine", () => {
  test.each([
    "http://localhost",
    "http://LOCALHOST:8080/x",
    "http://shop.localhost",
    "http://a.b.localhost",
    "http://127.0.0.1",
    "http://127.1.2.3",
    "http://127.255.255.255",
    "http://127.1",
    "http://0x7f.0.0.1",
    "http://2130706433",
    "http://[::1]",
    "http://[0:0:0:0:0:0:0:1]:3000",
  ])("is %s", (address) => {
    expect(isLoopback(hostOf(address))).toBe(true);
  });

  test("is all of 127.0.0.0/8", () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(fc.property(byte, byte, byte, (b, c, d) => isLoopback(`127.${b}.${c}.${d}`)));
  });
});

describe("another machine", () => {
  test.each([
    "http://example.com",
    "http://localhost.example.com",
    "http://notlocalhost",
    "http://my-localhost",
    "http://127.0.0.1.example.com",
    "http://128.0.0.1",
    "http://12.7.0.1",
    "http://0.0.0.0",
    "http://10.0.0.1",
    "http://192.168.1.1",
    "http://169.254.169.254",
    "http://[::]",
    "http://[::2]",
    "http://[fe80::1]",
    "http://[::ffff:10.0.0.1]",
  ])("is %s", (address) => {
    expect(isLoopback(hostOf(address))).toBe(false);
  });

  test("is every address outside 127.0.0.0/8", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        fc.pre(!address.startsWith("127."));
        expect(isLoopback(address)).toBe(false);
      }),
    );
  });

  test("is every name that does not end in localhost", () => {
    fc.assert(
      fc.property(fc.domain(), (name) => {
        expect(isLoopback(name)).toBe(false);
        expect(isLoopback(`localhost.${name}`)).toBe(false);
      }),
    );
  });
});

test.each([
  ["", ""],
  ["/", ""],
  ["a//", "a"],
  ["/a/b", "/a/b"],
  [`${"/".repeat(100_000)}x`, `${"/".repeat(100_000)}x`],
])("the slashes at the end go", (text, without) => {
  expect(withoutTrailingSlashes(text)).toBe(without);
});

/** Texts that a browser may read as the address of another server, or as a script. */
const HOSTILE = [
  "//evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "\\/evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "/\r\\evil.example",
  "\t//evil.example",
  " //evil.example",
  "/.//evil.example",
  "/x/..//evil.example",
  "/%2e//evil.example",
  "javascript:alert(1)",
  "java\nscript:alert(1)",
  "data:text/html,x",
  "https:evil.example",
  "https:/evil.example",
  "https:/\\evil.example",
  "https://",
  "orders",
  "?x",
  "",
  undefined,
];

describe("a link", () => {
  test.each(HOSTILE)("cannot be %j", (text) => {
    expect([ownPath(text), linkAddress(text)]).toEqual([undefined, undefined]);
  });

  test.each([
    ["/", "/"],
    ["/orders/7?x=1&y#z", "/orders/7?x=1&y#z"],
    ["/orders/../cart", "/cart"],
    ["/a b", "/a%20b"],
    ["/to?next=//evil.example", "/to?next=//evil.example"],
  ])("may be the path %j", (text, path) => {
    expect([ownPath(text), linkAddress(text)]).toEqual([path, path]);
  });

  test.each([
    ["https://shop.example/orders/7", "https://shop.example/orders/7"],
    ["HTTP://localhost:3000", "http://localhost:3000/"],
  ])("may be the address %j, which is no path", (text, address) => {
    expect([ownPath(text), linkAddress(text)]).toEqual([undefined, address]);
  });

  test("leads a browser to the server of the page, if it is a path", () => {
    const character = fc.constantFrom(..."/\\.\t\n :@a%2e?#");
    const texts = fc.string({ unit: character, maxLength: 12 }).map((text) => `/${text}`);
    fc.assert(
      fc.property(texts, (text) => {
        const path = ownPath(text);
        fc.pre(path !== undefined);
        expect(new URL(path as string, "https://shop.example").host).toBe("shop.example");
      }),
    );
  });
});

test.each([
  ["/orders?x=1", "shop.example:3000", "http://shop.example:3000/orders?x=1"],
  ["//evil.example/orders", "shop.example", "http://shop.example//evil.example/orders"],
  ["/\\evil.example/orders", "shop.example", "http://shop.example//evil.example/orders"],
  ["//", "shop.example", "http://shop.example//"],
  ["http://evil.example/orders?x=1", "shop.example", "http://shop.example/orders?x=1"],
  ["/orders", undefined, "http://localhost/orders"],
  ["/orders", "shop.example/x", undefined],
  ["/orders", "a@b", undefined],
  ["*", "shop.example", undefined],
])("a request for %j at the host %j is for %j", (target, host, address) => {
  expect(requestUrl(target, host)?.href).toBe(address);
});
