import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLoopback, withoutTrailingSlashes } from "../../src/internal/urls.ts";

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
