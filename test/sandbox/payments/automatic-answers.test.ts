import { ConfigurationError, Gateway } from "malipo";
import {
  type AutoAnswer,
  createSandbox,
  MAGIC_SUFFIXES,
  type Sandbox,
  type SandboxOptions,
} from "malipo/sandbox";
import { describe, expect, test } from "vitest";

const PHONE = "0712345678";

/** A sandbox, and what has become of a payment in it. */
function stage(options?: SandboxOptions) {
  const sandbox = createSandbox(options);
  const { baseUrl, fetch, keys } = sandbox;
  const gateway = new Gateway({ apiKey: keys.secret, baseUrl, fetch, maxRetries: 0 });
  const pay = (phone: string, amount = 100) => gateway.mobileMoney.initiate({ amount, phone });
  const now = async ({ reference }: { reference: string }) => {
    const { status, failure_reason, retry_possible } = await gateway.payments.get(reference);
    return status === "failed" ? [failure_reason?.split(":")[0], retry_possible] : status;
  };
  return { sandbox, pay, now };
}

/** Whether nothing comes before its time, and this when it has come. */
async function expectAt(sandbox: Sandbox, ms: number, outcome: unknown, now: () => unknown) {
  await sandbox.clock.advance(ms - 1);
  expect(await now()).toBe("pending");
  await sandbox.clock.advance(1);
  expect(await now()).toEqual(outcome);
}

/** The network's code, and whether another try makes sense. */
const OUTCOMES: Record<keyof typeof MAGIC_SUFFIXES, unknown> = {
  approve: "completed",
  ignore: "pending",
  limitExceeded: ["2028", false],
  unreachable: ["1037", true],
  cancelled: ["1032", true],
  insufficientBalance: ["1", true],
  wrongPin: ["2001", true],
  expired: ["1019", true],
  sendFailed: ["1025", false],
  systemBusy: ["26", false],
};

describe("a magic number", () => {
  const names = Object.keys(OUTCOMES) as (keyof typeof MAGIC_SUFFIXES)[];
  const rows = names.flatMap((name) => [
    [name, `0712345${MAGIC_SUFFIXES[name]}`] as const,
    [name, `0110345${MAGIC_SUFFIXES[name]}`] as const,
  ]);

  test.each(rows)("returns %s, three seconds after the prompt: %s", async (name, phone) => {
    const { sandbox, pay, now } = stage();
    const payment = await pay(phone);
    await expectAt(sandbox, 3_000, OUTCOMES[name], () => now(payment));
    await sandbox.clock.advance("1h");
    expect(await now(payment)).toEqual(name === "ignore" ? ["1037", true] : OUTCOMES[name]);
  });

  test("has a suffix of three digits that no other has", () => {
    expect(Object.keys(MAGIC_SUFFIXES).sort()).toEqual([...names].sort());
    const suffixes = Object.values(MAGIC_SUFFIXES);
    expect(suffixes.every((suffix) => /^\d{3}$/.test(suffix))).toBe(true);
    expect(new Set(suffixes).size).toBe(suffixes.length);
  });

  test("fails for insufficient balance, whatever the balance is", async () => {
    const { sandbox, pay, now } = stage();
    const payment = await pay(`0712345${MAGIC_SUFFIXES.insufficientBalance}`, 1);
    await sandbox.clock.advance("3s");
    expect(await now(payment)).toEqual(["1", true]);
  });

  test("can be answered by a method before it answers automatically", async () => {
    const { sandbox, pay, now } = stage();
    const phone = `0712345${MAGIC_SUFFIXES.cancelled}`;
    const payment = await pay(phone);
    sandbox.phone(phone).approve();
    await sandbox.clock.advance("1h");
    expect(await now(payment)).toBe("completed");
  });
});

describe("a prompt without an answer", () => {
  test.each<[string, (sandbox: Sandbox) => void]>([
    ["on a phone that is on", () => {}],
    ["on a phone that is off", (sandbox) => sandbox.phone(PHONE).switchOff()],
    ["on a phone that always ignores it", (sandbox) => sandbox.phone(PHONE).always("ignore")],
    [
      "on a phone that is off, and would approve",
      ({ phone }) => {
        phone(PHONE).switchOff();
        phone(PHONE).always("approve");
      },
    ],
  ])("expires after sixty seconds, %s", async (_, prepare) => {
    const { sandbox, pay, now } = stage();
    prepare(sandbox);
    const payment = await pay(PHONE);
    await expectAt(sandbox, 60_000, ["1037", true], () => now(payment));
    expect(sandbox.phone(PHONE).prompt).toBeUndefined();
    expect(sandbox.phone(PHONE).balance).toBe("100000.00");
  });
});

describe("an automatic answer", () => {
  const ANSWERS: [AutoAnswer, unknown][] = [
    ["approve", "completed"],
    ["cancel", ["1032", true]],
    ["wrongPin", ["2001", true]],
    ["ignore", "pending"],
    ["ask", "pending"],
  ];

  test.each(ANSWERS)("of %s answers every prompt, after three seconds", async (answer, outcome) => {
    const { sandbox, pay, now } = stage();
    sandbox.phone(PHONE).always(answer);
    for (let times = 0; times < 2; times++) {
      const payment = await pay(PHONE);
      await expectAt(sandbox, 3_000, outcome, () => now(payment));
      await sandbox.clock.advance("60s");
    }
  });

  test.each(ANSWERS)(
    "of %s comes before magic numbers and before auto",
    async (answer, outcome) => {
      const magic = `0712345${MAGIC_SUFFIXES.systemBusy}`;
      for (const [options, phone] of [
        [{}, magic],
        [{ auto: "approve" }, PHONE],
      ] as const) {
        const { sandbox, pay, now } = stage(options);
        sandbox.phone(phone).always(answer);
        const payment = await pay(phone);
        await sandbox.clock.advance("3s");
        expect(await now(payment)).toEqual(outcome);
      }
    },
  );

  test.each(ANSWERS)(
    "of %s replaces the one before it, for an open prompt too",
    async (answer, outcome) => {
      const { sandbox, pay, now } = stage();
      sandbox.phone(PHONE).always(answer === "approve" ? "cancel" : "approve");
      const payment = await pay(PHONE);
      await sandbox.clock.advance("1s");
      sandbox.phone(PHONE).always(answer);
      await expectAt(sandbox, 3_000, outcome, () => now(payment));
    },
  );

  test("other than the five is rejected", () => {
    const phone = createSandbox().phone(PHONE);
    expect(() => phone.always("maybe" as AutoAnswer)).toThrow(ConfigurationError);
    expect(() => phone.always(undefined as unknown as AutoAnswer)).toThrow(ConfigurationError);
  });
});

describe("auto", () => {
  const MAGIC = `0712345${MAGIC_SUFFIXES.cancelled}`;
  test.each<[SandboxOptions["auto"], string, unknown]>([
    ["magic", PHONE, "pending"],
    ["magic", MAGIC, ["1032", true]],
    ["approve", PHONE, "completed"],
    ["approve", MAGIC, "completed"],
    ["none", PHONE, "pending"],
    ["none", MAGIC, "pending"],
  ])("%s, for %s: after three seconds it is %j", async (auto, phone, outcome) => {
    const { sandbox, pay, now } = stage({ auto });
    const payment = await pay(phone);
    await expectAt(sandbox, 3_000, outcome, () => now(payment));
  });

  test("approve fails a payment if the balance is not enough", async () => {
    const { sandbox, pay, now } = stage({ auto: "approve" });
    sandbox.phone(PHONE).setBalance("99.99");
    const payment = await pay(PHONE, 100);
    await sandbox.clock.advance("3s");
    expect(await now(payment)).toEqual(["1", true]);
  });
});
