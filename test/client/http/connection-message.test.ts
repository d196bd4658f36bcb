import { describe, expect, test } from "vitest";
import { gatewayMeeting, rejection } from "../support/gateway.ts";
import { fail, fetchFailed, noSuchHost, refused, reset } from "../support/responses.ts";

const INITIATE = "POST /mobile-money/payment/initiate";
const order = { amount: 100, phone: "0712345678" };

const messageOf = async (step: Parameters<typeof gatewayMeeting>[0][number], baseUrl: string) => {
  const { gateway } = gatewayMeeting([step], { baseUrl, maxRetries: 0 });
  return (await rejection(gateway.mobileMoney.initiate(order))).message;
};

describe("the message of a connection that failed", () => {
  const baseUrl = "https://api.example.com/pay/v1";

  test.each([
    ["ECONNREFUSED", refused, "Nothing was sent. You can send it again."],
    ["ENOTFOUND", noSuchHost, "Nothing was sent. You can send it again."],
    ["ECONNRESET", reset, "It may have happened. Look before you send it again."],
    [
      "EHOSTUNREACH",
      fail(new AggregateError([fetchFailed("EHOSTUNREACH", "connect")], "all failed")),
      "Nothing was sent. You can send it again.",
    ],
  ])("names the address and the code: %s", async (code, step, nextStep) => {
    expect(await messageOf(step, baseUrl)).toBe(
      `${INITIATE}: the connection to https://api.example.com failed (${code}). ${nextStep}`,
    );
  });

  test("says what was thrown where there is no code", async () => {
    expect(await messageOf(fail(new TypeError("Failed to fetch")), baseUrl)).toBe(
      `${INITIATE}: the connection to https://api.example.com failed (Failed to fetch). It may have happened. Look before you send it again.`,
    );
  });

  test.each(["http://localhost:8787/v1", "http://127.0.0.1:8787/v1", "http://[::1]:8787"])(
    "asks whether the sandbox is running where %s refuses it",
    async (local) => {
      expect(await messageOf(refused, local)).toBe(
        `${INITIATE}: the connection to ${new URL(local).origin} failed (ECONNREFUSED). Is the sandbox running? Start it with npx malipo sandbox. Nothing was sent. You can send it again.`,
      );
    },
  );

  test("does not ask that after another failure", async () => {
    expect(await messageOf(reset, "http://localhost:8787")).not.toContain("sandbox");
  });
});
