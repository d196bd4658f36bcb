import { setImmediate, setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ConfigurationError, Gateway } from "malipo";
import { createSandbox } from "malipo/sandbox";
import type { ReconcileProgress } from "malipo/types";
import { describe, expect, test } from "vitest";
import { gatewayWith, rejection } from "../support/gateway.ts";
import { all, byHand, service } from "../support/reconciling.ts";

describe("a report", () => {
  test("has the state final, pending, unknown or unreadable", async () => {
    const { gateway } = gatewayWith([service]);
    const reports = await all(
      gateway.payments.reconcile(["S-1", "F-1", "P-1", "X-1", "C-1", "E-1"]),
    );
    reports.sort((a, b) => a.reference.localeCompare(b.reference));
    expect(reports).toEqual([
      { reference: "C-1", state: "unknown", payment: { reference: "C-1", status: "constructor" } },
      {
        reference: "E-1",
        state: "unreadable",
        error: expect.objectContaining({ code: "not_found" }),
      },
      { reference: "F-1", state: "final", payment: { reference: "F-1", status: "failed" } },
      { reference: "P-1", state: "pending", payment: { reference: "P-1", status: "pending" } },
      { reference: "S-1", state: "final", payment: { reference: "S-1", status: "completed" } },
      { reference: "X-1", state: "unknown", payment: { reference: "X-1", status: "reversed" } },
    ]);
  });

  test("comes for each reference, also after errors", async () => {
    const { gateway } = gatewayWith([service]);
    const references = ["E-1", "S-1", "", "E-2", "..", undefined as never, "S-2", "S-1"];
    const reports = await all(gateway.payments.reconcile(references, { concurrency: 1 }));
    expect(reports.map(({ reference, state }) => [reference, state])).toEqual([
      ["E-1", "unreadable"],
      ["S-1", "final"],
      ["", "unreadable"],
      ["E-2", "unreadable"],
      ["..", "unreadable"],
      [undefined, "unreadable"],
      ["S-2", "final"],
      ["S-1", "final"],
    ]);
  });

  test("comes as soon as its read has ended, in any order", async () => {
    const { gateway, respond, open } = byHand();
    const reports = gateway.payments.reconcile(["S-1", "S-2", "S-3"]);
    const first = reports.next();
    await expect.poll(() => open()).toHaveLength(3);
    respond("S-2");
    expect((await first).value).toMatchObject({ reference: "S-2" });
    const second = reports.next();
    respond("S-3");
    expect((await second).value).toMatchObject({ reference: "S-3" });
    await reports.return();
  });

  test("comes from a read that is retried like any other", async () => {
    let tries = 0;
    const { gateway } = gatewayWith([
      (attempt) =>
        ++tries === 1
          ? Response.json({}, { status: 503, headers: { "retry-after": "0" } })
          : service(attempt),
    ]);
    expect(await all(gateway.payments.reconcile(["S-1"]))).toMatchObject([{ state: "final" }]);
    expect(tries).toBe(2);
  });
});

describe("progress", () => {
  test("is reported after each payment", async () => {
    const { gateway } = gatewayWith([service]);
    const reported: ReconcileProgress[] = [];
    const references = ["S-1", "P-1", "X-1", "E-1", "F-1"];
    const options = {
      concurrency: 1,
      onProgress: (progress: ReconcileProgress) => reported.push(progress),
    };
    await all(gateway.payments.reconcile(references, options));
    expect(reported.map(({ done }) => done)).toEqual([1, 2, 3, 4, 5]);
    expect(reported.at(1)).toEqual({ done: 2, final: 1, pending: 1, unknown: 0, unreadable: 0 });
    expect(reported.at(-1)).toEqual({ done: 5, final: 2, pending: 1, unknown: 1, unreadable: 1 });
  });

  test("that throws does not end the reconciliation", async () => {
    const { gateway } = gatewayWith([service]);
    const onProgress = () => {
      throw new Error("no");
    };
    expect(await all(gateway.payments.reconcile(["S-1", "S-2"], { onProgress }))).toHaveLength(2);
  });
});

test.each([
  { concurrency: 0 },
  { concurrency: -1 },
  { concurrency: 1.5 },
  { concurrency: Number.NaN },
  { concurency: 4 },
  { timeoutMs: 5 },
])("a wrong option is rejected: %j", async (options) => {
  const { gateway, sent } = gatewayWith([service]);
  const reading = all(gateway.payments.reconcile(["S-1"], options));
  expect(await rejection(reading)).toBeInstanceOf(ConfigurationError);
  expect(sent).toEqual([]);
});

test("10,000 references need no more memory than 2,000", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  const heap = async () => {
    // A Request that has ended is let go of once the event loop has turned, as it does between real
    // calls: https://tc39.es/ecma262/#sec-weakref-execution
    for (let turn = 0; turn < 6; turn++) {
      await setTimeout(10);
      collectGarbage();
    }
    return process.memoryUsage().heapUsed;
  };
  const { fetch, baseUrl, keys } = createSandbox();
  const gateway: Gateway = new Gateway({ apiKey: keys.secret, baseUrl, fetch });
  const known: string[] = [];
  for (let at = 10; at < 30; at++) {
    const phone = `2547000000${at}`;
    known.push((await gateway.mobileMoney.initiate({ amount: at, phone })).reference);
  }
  function* references() {
    for (let at = 0; at < 10_000; at++) yield known[at % known.length] ?? "";
  }
  let done = 0;
  let early = 0;
  for await (const { state } of gateway.payments.reconcile(references())) {
    if (state === "pending") done++;
    if (done % 100 === 0) await setImmediate();
    if (done === 2_000) early = await heap();
  }
  expect(done).toBe(10_000);
  // What 8,000 reports would hold is some ten times as much.
  expect((await heap()) - early).toBeLessThan(1_000_000);
});

describe("double payments", () => {
  const completed = (reference: string, fields: object) => [
    reference,
    { reference, status: "completed", ...fields },
  ];
  const PAYMENTS = Object.fromEntries([
    completed("A-1", { account_reference: "ORDER-42", transaction_id: "TX-1" }),
    completed("A-2", { account_reference: "ORDER-42", transaction_id: "TX-2" }),
    completed("A-3", { account_reference: "ORDER-43", transaction_id: "TX-1" }),
    completed("A-4", { account_reference: "ORDER-44" }),
    ["F-1", { reference: "F-1", status: "failed", account_reference: "ORDER-44" }],
  ]);

  test("are named in the report of the second payment", async () => {
    const { gateway } = gatewayWith([
      ({ url }) =>
        Response.json({ success: true, data: PAYMENTS[url.slice(url.lastIndexOf("/") + 1)] }),
    ]);
    const references = ["A-1", "A-2", "A-3", "A-4", "F-1", "A-1"];
    const reports = await all(gateway.payments.reconcile(references, { concurrency: 1 }));
    const doubles = reports.map((report) =>
      report.state === "final" ? report.doublePayments : undefined,
    );
    expect(doubles).toEqual([
      undefined,
      [{ by: "account_reference", value: "ORDER-42", references: ["A-1", "A-2"] }],
      [{ by: "transaction_id", value: "TX-1", references: ["A-1", "A-3"] }],
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test("the caller's signal may be of another realm", async () => {
  const { gateway, open } = byHand();
  const target: EventTarget = new EventTarget();
  const foreign = Object.assign(target, {
    aborted: false,
    reason: undefined as unknown,
    throwIfAborted: () => {
      if (foreign.aborted) throw foreign.reason;
    },
  });
  const signal = foreign as unknown as AbortSignal;
  const next = gateway.payments.reconcile(["S-1"], { signal }).next();
  const ended = expect(next).rejects.toBe("the night is over");
  await expect.poll(() => open()).toHaveLength(1);
  Object.assign(foreign, { aborted: true, reason: "the night is over" });
  target.dispatchEvent(new Event("abort"));
  await ended;
});
