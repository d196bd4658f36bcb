import { describe, expect, test } from "vitest";
import { requestIdOf } from "../../src/errors/request-id.ts";

describe("requestIdOf", () => {
  test.each(["X-Request-Id", "Request-Id", "X-Correlation-Id", "CF-Ray"])("reads %s", (name) => {
    expect(requestIdOf(new Headers({ [name]: "req_1" }))).toBe("req_1");
  });

  test("prefers the service's own header to that of the network before it", () => {
    const headers = new Headers({ "cf-ray": "ray", "x-request-id": "own" });
    expect(requestIdOf(headers)).toBe("own");
  });

  test("returns the first 128 characters of a long id", () => {
    expect(requestIdOf(new Headers({ "x-request-id": "a".repeat(5_000) }))).toBe("a".repeat(128));
  });

  test.each(["", "req\u009b31m", "é"])("passes over %j, which is not an id", (value) => {
    const headers = new Headers({ "x-request-id": value, "request-id": "req_2" });
    expect(requestIdOf(headers)).toBe("req_2");
  });

  test("returns undefined if there is none", () => {
    expect(requestIdOf(new Headers())).toBeUndefined();
    expect(requestIdOf(undefined)).toBeUndefined();
  });
});
