import { setImmediate } from "node:timers/promises";
import { createSandbox, type Sandbox, type SandboxSnapshot } from "malipo/sandbox";
import { describe, expect, test } from "vitest";
import { fc } from "../../support/properties.ts";

const ACTS = ["approve", "cancel", "enterWrongPin", "ignore", "switchOff", "switchOn"] as const;
const AUTO_ANSWERS = ["approve", "cancel", "wrongPin", "ignore", "ask"] as const;

/** One action on a sandbox: of the merchant, of a customer, or of the clock. */
type Step =
  | { readonly method: string; readonly path: string; readonly body?: object }
  | { readonly phone: string; readonly act: (typeof ACTS)[number] }
  | { readonly phone: string; readonly always: (typeof AUTO_ANSWERS)[number] }
  | { readonly phone: string; readonly balance: string }
  | { readonly fault: "status" | "lostResponse" | "reset" }
  | { readonly advance: number };

const phone = fc.constantFrom("0712345678", "0110345678", "0712345789", "0712345049");
const amount = fc.oneof(fc.integer({ min: 1, max: 60_000 }), fc.constantFrom(0, 99.99, 250_001));
const invoice = fc.constantFrom("INV-0001", "INV-0002", "INV-0003");
const call = (method: string, path: string, body?: object): Step => ({
  method,
  path,
  ...(body && { body }),
});

const step: fc.Arbitrary<Step> = fc
  .oneof(
    { weight: 4, arbitrary: fc.tuple(phone, amount, invoice) },
    { weight: 3, arbitrary: fc.record({ phone, act: fc.constantFrom(...ACTS) }) },
    fc.record({ phone, always: fc.constantFrom(...AUTO_ANSWERS) }),
    fc.record({ phone, balance: fc.constantFrom("0", "50.00", "70000.5") }),
    fc.record({
      fault: fc.constantFrom("status" as const, "lostResponse" as const, "reset" as const),
    }),
    {
      weight: 3,
      arbitrary: fc.record({ advance: fc.constantFrom(0, 1, 3_000, 10_000, 60_000, 7_200_000) }),
    },
    fc.constantFrom(
      call("GET", "/payments"),
      call("GET", "/merchant"),
      call("POST", "/invoices", { amount: 500, due_at: "2026-01-01T09:05:00+03:00" }),
      call("POST", "/invoices", { note: "no amount" }),
      call("POST", "/webhooks/register", {
        name: "all",
        url: "https://shop.example.test/hook",
        events: ["payment.completed", "payment.failed", "invoice.paid", "invoice.overdue"],
      }),
    ),
    invoice.map((number) => call("POST", `/invoices/${number}/send`)),
    invoice.map((number) => call("DELETE", `/invoices/${number}`)),
  )
  .map((one) =>
    Array.isArray(one)
      ? call("POST", "/mobile-money/payment/initiate", {
          phone: one[0],
          amount: one[1],
          account_reference: one[2],
        })
      : one,
  );
const script = fc.array(step, { maxLength: 25 });

/** A sandbox whose receiver is slow and often fails, depending only on the state. */
function sandboxOf(seed: string): Sandbox {
  const sandbox: Sandbox = createSandbox({
    seed,
    deliver: async (request) => {
      const signature = request.headers.get("x-service-signature") ?? "";
      const random = Number.parseInt(signature.slice(0, 4), 16) + sandbox.clock.now().getTime();
      await setImmediate();
      if (random % 4 === 0) throw new Error("connection refused");
      return new Response("", { status: random % 4 === 1 ? 200 : 503 });
    },
  });
  return sandbox;
}

async function take(sandbox: Sandbox, step: Step): Promise<unknown> {
  try {
    if ("advance" in step) return await sandbox.clock.advance(step.advance);
    if ("act" in step) return sandbox.phone(step.phone)[step.act]();
    if ("always" in step) return sandbox.phone(step.phone).always(step.always);
    if ("balance" in step) return sandbox.phone(step.phone).setBalance(step.balance);
    if ("fault" in step) {
      const effect =
        step.fault === "status" ? { kind: step.fault, status: 503 } : { kind: step.fault };
      return sandbox.faults.add({ effect });
    }
    const response = await sandbox.fetch(sandbox.baseUrl + step.path, {
      method: step.method,
      headers: { "x-api-key": sandbox.keys.sandbox },
      ...(step.body && { body: JSON.stringify(step.body) }),
    });
    return [response.status, await response.text()];
  } catch (error) {
    return String(error);
  }
}

/** Everything that a sandbox shows while these actions are done. */
async function play(sandbox: Sandbox, steps: readonly Step[]): Promise<unknown[]> {
  const transcript: unknown[] = [];
  for (const one of steps) transcript.push(await take(sandbox, one), sandbox.clock.now());
  return transcript;
}

/** The final state, when every delivery was delivered or has failed. */
async function end(sandbox: Sandbox): Promise<unknown> {
  await sandbox.clock.advance("1d");
  const { keys, webhookSecret, deliveries } = sandbox;
  return {
    keys,
    webhookSecret,
    deliveries: deliveries.all(),
    newKey: sandbox.createKey({ kind: "secret" }),
  };
}

const asJson = (snapshot: SandboxSnapshot): SandboxSnapshot => JSON.parse(JSON.stringify(snapshot));

describe("a sandbox", () => {
  test("of the same seed, given the same calls, has the same transcript", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), script, async (seed, steps) => {
        const [one, other] = [sandboxOf(seed), sandboxOf(seed)];
        expect(await play(one, steps)).toEqual(await play(other, steps));
        expect(await end(one)).toEqual(await end(other));
      }),
      { numRuns: 40 },
    );
  });

  test("of another seed has other keys, secrets and references", async () => {
    const steps = [call("POST", "/payments/initiate", { phone: "0712345678", amount: 1 })];
    await fc.assert(
      fc.asyncProperty(
        // Seeds that begin and end alike are other seeds too.
        fc.tuple(fc.string(), fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 2 })),
        async ([same, seeds]) => {
          const [one, other] = seeds.map((seed) => createSandbox({ seed: same + seed + same })) as [
            Sandbox,
            Sandbox,
          ];
          for (const kind of ["public", "secret", "sandbox"] as const) {
            expect(one.keys[kind]).not.toBe(other.keys[kind]);
          }
          expect(one.webhookSecret).not.toBe(other.webhookSecret);
          expect((await play(one, steps))[0]).not.toEqual((await play(other, steps))[0]);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("has the seed malipo by default", () => {
    expect(createSandbox().keys).toEqual(createSandbox({ seed: "malipo" }).keys);
  });

  test("shares nothing with another one of the same seed", async () => {
    await fc.assert(
      fc.asyncProperty(script, async (steps) => {
        const [busy, idle] = [sandboxOf("same"), sandboxOf("same")];
        const before = idle.snapshot();
        await play(busy, steps);
        expect(idle.snapshot()).toEqual(before);
      }),
      { numRuns: 20 },
    );
  });

  test("goes on after a snapshot as without it, here and in another sandbox", async () => {
    await fc.assert(
      fc.asyncProperty(script, script, async (before, after) => {
        const [whole, cut, elsewhere] = [sandboxOf("one"), sandboxOf("one"), sandboxOf("two")];
        await play(whole, before);
        await play(cut, before);
        // No waiting: deliveries are in flight, prompts are open, retries are to come.
        elsewhere.restore(asJson(cut.snapshot()));
        const expected = await play(whole, after);
        expect(await play(cut, after)).toEqual(expected);
        expect(await play(elsewhere, after)).toEqual(expected);
        const outcome = await end(whole);
        expect(await end(cut)).toEqual(outcome);
        expect(await end(elsewhere)).toEqual(outcome);
      }),
      { numRuns: 40 },
    );
  });

  test("is back in its first state after a reset", async () => {
    await fc.assert(
      fc.asyncProperty(script, script, async (before, after) => {
        const [used, fresh] = [sandboxOf("seed"), sandboxOf("seed")];
        const first = fresh.snapshot();
        await play(used, before);
        used.reset();
        expect(used.snapshot()).toEqual(first);
        expect(await play(used, after)).toEqual(await play(fresh, after));
        expect(await end(used)).toEqual(await end(fresh));
      }),
      { numRuns: 40 },
    );
  });
});
