import { expect, test } from "vitest";
import { waitFor, waitUntil } from "../waits.ts";

const never = new Promise<never>(() => {});

test("a wait that does not end rejects, and names what it waited for", async () => {
  const wait = { what: () => "the engine to restart", limitMs: 20 };
  const message = "The campaign stands still. It waited 0.02 s for the engine to restart.";
  await expect(waitFor(never, wait)).rejects.toThrow(message);
  await expect(waitUntil(() => false, { ...wait, intervalMs: 1 })).rejects.toThrow(message);
});

test("a wait ends with what it waits for", async () => {
  const wait = { what: () => "nothing", limitMs: 10_000 };
  await expect(waitFor(Promise.resolve("well"), wait)).resolves.toBe("well");
  await expect(waitFor(Promise.reject(new Error("no")), wait)).rejects.toThrow("no");
  let asked = 0;
  await waitUntil(() => ++asked === 3, { ...wait, intervalMs: 1 });
  expect(asked).toBe(3);
});
