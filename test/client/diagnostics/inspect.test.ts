import { Console } from "node:console";
import { inspect } from "node:util";
import { Gateway } from "malipo";
import { expect, test, vi } from "vitest";
import { BASE_URL, KEYS } from "../support/gateway.ts";

const gatewayWith = (apiKey: string, baseUrl = BASE_URL) => new Gateway({ apiKey, baseUrl });

test.each([
  ["secret", "sk_"],
  ["public", "pk_"],
  ["sandbox", "sb_"],
] as const)("a printed gateway tells the kind of its key and its address: %s", (kind, prefix) => {
  const printed = inspect(gatewayWith(KEYS[kind]));
  expect(printed).toBe(`Gateway { key: "${prefix}... (${kind})", baseUrl: "${BASE_URL}" }`);
});

test("it prints the same inside of another object, and by console.log", () => {
  const gateway = gatewayWith(KEYS.secret);
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  new Console(process.stdout).log({ gateway });
  const printed = String(write.mock.calls[0]?.[0]);
  write.mockRestore();
  expect(printed).toContain(`gateway: ${inspect(gateway)}`);
});

test("it does not print a key that stands in the address", () => {
  const key = "sk_live_quiteSecret";
  expect(inspect(gatewayWith(key, `${BASE_URL}/${key}`))).not.toContain(key);
});

test("nothing but its namespaces can be listed", () => {
  expect(Reflect.ownKeys(gatewayWith(KEYS.secret)).sort()).toEqual(
    ["idempotency", "invoices", "merchant", "mobileMoney", "payments", "webhooks"].sort(),
  );
});
