import { Readable } from "node:stream";
import { InvalidParamsError } from "malipo";
import { describe, expect, test } from "vitest";
import { gatewayWith, rejection } from "../support/gateway.ts";
import { all, byHand, numbered, service } from "../support/reconciling.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("concurrency", () => {
  test.each([
    [undefined, 8],
    [1, 1],
    [3, 3],
    [100, 20],
  ])("%s makes %i reads at once of 20, and never more", async (concurrency, expected) => {
    const { gateway, respond, open, most } = byHand();
    const reading = all(gateway.payments.reconcile(numbered(20), { concurrency }));
    for (let left = 20; left > 0; left--) {
      await expect.poll(() => open(), { interval: 1 }).toHaveLength(Math.min(expected, left));
      respond(open()[left % open().length] ?? "");
    }
    expect(new Set((await reading).map(({ reference }) => reference)).size).toBe(20);
    expect(most()).toBe(expected);
  });

  test("takes references only as fast as reports are taken", async () => {
    let taken = 0;
    function* references() {
      for (;;) yield `S-${taken++}`;
    }
    const { gateway } = gatewayWith([service]);
    const reports = gateway.payments.reconcile(references(), { concurrency: 4 });
    for (let given = 1; given <= 10; given++) {
      await reports.next();
      await pause(5);
      expect(taken).toBeLessThanOrEqual(given + 4);
    }
    await reports.return();
  });
});

describe("a caller that stops early", () => {
  test("ends the reads in flight, starts no more, and closes the source", async () => {
    let ended = false;
    function* references() {
      try {
        yield* numbered(1_000);
      } finally {
        ended = true;
      }
    }
    const { gateway, respond, begun, open } = byHand();
    const reading = (async () => {
      for await (const { reference } of gateway.payments.reconcile(references())) return reference;
      return undefined;
    })();
    await expect.poll(() => open(), { interval: 1 }).toHaveLength(8);
    respond("S-3");
    expect(await reading).toBe("S-3");
    await expect.poll(() => open(), { interval: 1 }).toEqual([]);
    expect(begun()).toHaveLength(8);
    expect(ended).toBe(true);
  });

  test("starts no read for a reference that a slow source yields later", async () => {
    let more = () => {};
    const references = (async function* () {
      yield "S-1";
      await new Promise<void>((resolve) => {
        more = resolve;
      });
      yield "S-2";
    })();
    const { gateway, sent } = gatewayWith([service]);
    const reports = gateway.payments.reconcile(references);
    await reports.next();
    await reports.return();
    more();
    await pause(5);
    expect(sent).toHaveLength(1);
  });

  test("does not wait for a source that yields nothing", async () => {
    const references = (async function* () {
      yield "S-1";
      await new Promise(() => {});
    })();
    const { gateway } = gatewayWith([service]);
    for await (const { reference } of gateway.payments.reconcile(references)) {
      expect(reference).toBe("S-1");
      break;
    }
  });
});

describe("a signal", () => {
  const reason = new Error("closing");

  test("that was aborted before prevents every read", async () => {
    const { gateway, sent } = gatewayWith([service]);
    const reports = gateway.payments.reconcile(["S-1"], { signal: AbortSignal.abort(reason) });
    await expect(all(reports)).rejects.toBe(reason);
    expect(sent).toEqual([]);
  });

  test("ends the reads in flight and rejects with its own reason", async () => {
    const controller = new AbortController();
    const { gateway, open } = byHand();
    const reading = all(gateway.payments.reconcile(numbered(20), { signal: controller.signal }));
    const ended = expect(reading).rejects.toBe(reason);
    await expect.poll(() => open(), { interval: 1 }).toHaveLength(8);
    controller.abort(reason);
    await ended;
    expect(open()).toEqual([]);
  });

  test("ends a reconciliation whose source yields nothing", async () => {
    const controller = new AbortController();
    const { gateway } = gatewayWith([service]);
    const references = (async function* () {
      await new Promise(() => {});
      yield "S-1";
    })();
    const reading = all(gateway.payments.reconcile(references, { signal: controller.signal }));
    setTimeout(() => controller.abort(reason), 10);
    await expect(reading).rejects.toBe(reason);
  });
});

describe("references", () => {
  const list = numbered(30);
  test.each<[string, () => Iterable<string> | AsyncIterable<string>]>([
    ["a list", () => list],
    ["a set", () => new Set(list)],
    ["the keys of a map", () => new Map(list.map((one) => [one, 1])).keys()],
    [
      "a generator",
      function* () {
        yield* list;
      },
    ],
    [
      "an async generator",
      async function* () {
        for (const one of list) {
          if (one.endsWith("7")) await pause(1);
          yield one;
        }
      },
    ],
    ["a stream", () => Readable.from(list)],
  ])("may come from %s", async (_, references) => {
    const { gateway } = gatewayWith([service]);
    const reports = await all(gateway.payments.reconcile(references()));
    expect(reports.map(({ reference }) => reference).sort()).toEqual([...list].sort());
  });

  test("may be none", async () => {
    const { gateway } = gatewayWith([service]);
    expect(await all(gateway.payments.reconcile([]))).toEqual([]);
  });

  test("that come slowly do not delay a report", async () => {
    let more = () => {};
    const references = (async function* () {
      yield "S-1";
      await new Promise<void>((resolve) => {
        more = resolve;
      });
      yield "S-2";
    })();
    const { gateway } = gatewayWith([service]);
    const reports = gateway.payments.reconcile(references);
    expect((await reports.next()).value).toMatchObject({ reference: "S-1" });
    more();
    expect((await reports.next()).value).toMatchObject({ reference: "S-2" });
    expect((await reports.next()).done).toBe(true);
  });

  test("of a source that fails are reported first, then its error is thrown", async () => {
    const failure = new Error("the database is gone");
    const references = (async function* () {
      yield* ["S-1", "S-2"];
      throw failure;
    })();
    const { gateway } = gatewayWith([service]);
    const reports = gateway.payments.reconcile(references);
    await reports.next();
    await reports.next();
    await expect(reports.next()).rejects.toBe(failure);
  });

  test.each([["PAY-1"], [undefined], [7], [{}]])(
    "that are not iterable (%j) are rejected",
    async (given) => {
      const { gateway, sent } = gatewayWith([service]);
      const error = await rejection(all(gateway.payments.reconcile(given as never)));
      expect(error).toBeInstanceOf(InvalidParamsError);
      expect(sent).toEqual([]);
    },
  );
});
