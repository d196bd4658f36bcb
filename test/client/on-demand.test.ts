import { ConnectionError } from "malipo";
import { expect, test } from "vitest";
import { onDemand } from "../../src/client/on-demand.ts";
import { rejection } from "./support/gateway.ts";

test("a part that cannot be loaded is an error with the outcome not_sent, and the next use tries again", async () => {
  const cause = new TypeError("Failed to fetch dynamically imported module");
  let attempts = 0;
  const load = onDemand("idempotency keys", async () => {
    attempts++;
    if (attempts === 1) throw cause;
    return "the part";
  });
  const error = await rejection(load());
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ outcome: "not_sent", cause });
  expect(error.message).toContain("idempotency keys could not be loaded. Nothing was sent.");
  expect(await load()).toBe("the part");
  expect(await load()).toBe("the part");
  expect(attempts).toBe(2);
});
