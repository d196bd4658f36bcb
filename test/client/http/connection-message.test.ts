import { describe, expect, test } from "vitest";
import { gatewayWith, rejection } from "../support/gateway.ts";
import { connectionRefused, fail, fetchFailed, noSuchHost, reset } from "../support/responses.ts";

const INITIATE = "POST /mobile-money/payment/initiate";
const order = { amount: 100, phone: "0712345678" };

const messageOf = async (step: Parameters<typeof gatewayWith>[0][number], baseUrl: string) => {
  const { gateway } = gatewayWith([step], { baseUrl, maxRetries: 0 });
  return (await rejection(gateway.mobileMoney.initiate(order))).message;
};

describe("the message of a connection that failed", () => {
  const baseUrl = "https://api.example.com/pay/v1";

  test.each([
    ["connect ECONNREFUSED", connectionRefused, "Nothing was sent. You can send it again."],
    ["getaddrinfo ENOTFOUND", noSuchHost, "Nothing was sent. You can send it again."],
    ["read ECONNRESET", reset, "It may have happened. Look before you send it again."],
    [
      "connect EHOSTUNREACH",
      fail(new AggregateError([fetchFailed("EHOSTUNREACH", "connect")], "all failed")),
      "Nothing was sent. You can send it again.",
    ],
    [
      "CERT_HAS_EXPIRED: certificate has expired",
      fail(
        new TypeError("fetch failed", {
          cause: Object.assign(new Error("certificate has expired"), { code: "CERT_HAS_EXPIRED" }),
        }),
      ),
      "Nothing was sent. You can send it again.",
    ],
  ])("names the address, the code and the deepest cause: %s", async (why, step, nextStep) => {
    expect(await messageOf(step, baseUrl)).toBe(
      `${INITIATE}: the connection to https://api.example.com failed (${why}). ${nextStep}`,
    );
  });

  test("says what was thrown if there is no code", async () => {
    expect(await messageOf(fail(new TypeError("Failed to fetch")), baseUrl)).toBe(
      `${INITIATE}: the connection to https://api.example.com failed (Failed to fetch). It may have happened. Look before you send it again.`,
    );
  });

  test("says the cause of a fetch that says only that it failed", async () => {
    const cause = new Error("certificate is not for 0712345678.test", {
      cause: new Error("bad port"),
    });
    expect(await messageOf(fail(new TypeError("fetch failed", { cause })), baseUrl)).toContain(
      "failed (fetch failed: certificate is not for 0712***678.test: bad port).",
    );
  });

  test("says at most three causes", async () => {
    let error = new Error("6");
    for (const message of ["5", "4", "3", "2", "1"]) error = new Error(message, { cause: error });
    expect(await messageOf(fail(error), baseUrl)).toContain("failed (1: 2: 3).");
  });

  test.each(["http://localhost:8787/v1", "http://127.0.0.1:8787/v1", "http://[::1]:8787"])(
    "asks whether the sandbox is running if nothing listens at %s",
    async (local) => {
      expect(await messageOf(connectionRefused, local)).toBe(
        `${INITIATE}: the connection to ${new URL(local).origin} failed (connect ECONNREFUSED). Is the sandbox running? Start it with npx malipo sandbox. Nothing was sent. You can send it again.`,
      );
    },
  );

  test("does not ask that after another failure", async () => {
    expect(await messageOf(reset, "http://localhost:8787")).not.toContain("sandbox");
  });
});
