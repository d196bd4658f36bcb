import { expect, test } from "vitest";
import { gatewayWith, rejection } from "../support/gateway.ts";
import { hang } from "../support/responses.ts";

const referenceIn = (url: string) => url.slice(url.lastIndexOf("/") + 1);
const REFERENCES = Array.from({ length: 1_000 }, (_, at) => `PAY-${at}`);

test("1,000 waits of one gateway never have more than 100 reads under way, in order", async () => {
  const read: string[] = [];
  let underWay = 0;
  let most = 0;
  const { gateway } = gatewayWith([
    async ({ url }) => {
      const reference = referenceIn(url);
      read.push(reference);
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setTimeout(resolve, 1));
      underWay--;
      return Response.json({ data: { reference, status: "completed" } });
    },
  ]);
  await Promise.all(REFERENCES.map((reference) => gateway.payments.waitFor(reference)));
  expect(most).toBe(100);
  expect(read).toEqual(REFERENCES);
});

test("a read that has no turn in waitMs ends its wait, and is not sent", async () => {
  const { gateway, sent } = gatewayWith([hang]);
  const waits = REFERENCES.slice(0, 101).map((reference, at) =>
    rejection(gateway.payments.waitFor(reference, { waitMs: at < 100 ? 1_000 : 50 })),
  );
  const error = await waits.at(-1);
  expect(sent).toHaveLength(100);
  expect(error).toMatchObject({
    code: "payment_pending",
    cause: { code: "timeout", outcome: "not_sent" },
  });
  await Promise.all(waits);
});

test("an abort ends a wait that has no turn yet", async () => {
  const { gateway, sent } = gatewayWith([hang]);
  const full = new AbortController();
  const waits = REFERENCES.slice(0, 100).map((reference) =>
    rejection(gateway.payments.waitFor(reference, { signal: full.signal })),
  );
  const own = new AbortController();
  const late = rejection(gateway.payments.waitFor("PAY-late", { signal: own.signal }));
  own.abort(new Error("left"));
  expect(await late).toMatchObject({ message: "left" });
  full.abort(new Error("over"));
  await Promise.all(waits);
  expect(sent).toHaveLength(100);
});
