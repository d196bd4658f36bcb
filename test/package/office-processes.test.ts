// Two people in two processes decide about the same money at the same moment.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createCheckout, type ReviewDecision } from "malipo/checkout";
import { afterAll, describe, expect, test } from "vitest";
import { newSandbox } from "../checkout/stage.ts";
import { completed, deliver } from "../suites/checkout-stage.ts";
import { sharedMysql, sharedPostgres } from "../support/engines/shared.ts";
import { startWorker, type WorkerProcess } from "../support/worker-process.ts";
import { OFFICE_ENGINES } from "./office-engines.ts";
import type { Office, Reply, Task } from "./office-worker.ts";

const WORKER = fileURLToPath(new URL("./office-worker.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "malipo-offices-"));
const PLACES: readonly [Office["engine"], place: string | undefined][] = [
  ["sqlite", join(folder, "shop.db")],
  ["postgres", (await sharedPostgres())?.url],
  ["mysql", (await sharedMysql())?.url],
];
const ROUNDS = Array.from({ length: 10 }, (_, at) => at);

const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** The shop, and two processes of its office. */
async function open(engine: Office["engine"], place: string) {
  const db = OFFICE_ENGINES[engine](place);
  const sandbox = newSandbox();
  const shop = createCheckout({
    store: db,
    gateway: { apiKey: sandbox.keys.secret, baseUrl: sandbox.baseUrl, fetch: sandbox.fetch },
    secret: sandbox.webhookSecret,
    partPayments: "review",
    onPaid: () => {},
  });
  ends.push(
    () => db.close(),
    () => shop.stop(),
  );
  /** An order of 100 whose payment has an amount. */
  const pay = async (id: string, amount: string) => {
    const order = await shop.create({ id, amount: 100 });
    const event = completed(order, `PAY-${id}`, { amount });
    await deliver(shop, sandbox, "payment.completed", event);
  };
  await pay("FIRST", "90.00");
  const start = () => startWorker<Task, Reply>(WORKER, { engine, place });
  const offices = await Promise.all([start(), start()]);
  ends.push(...offices.map((office) => () => office.kill()));
  return { shop, pay, offices };
}

const atOnce = (
  [one, other]: readonly [WorkerProcess<Task, Reply>, WorkerProcess<Task, Reply>],
  tasks: readonly [Task, Task],
) => Promise.all([one.do(tasks[0]), other.do(tasks[1])]);

describe.each(PLACES)("two processes on %s", (engine, place) => {
  const opened = place === undefined ? undefined : open(engine, place);
  const all = async () => {
    if (opened === undefined) throw new Error(`There is no ${engine}.`);
    return opened;
  };

  test.skipIf(place === undefined)(
    "that decide a review at the same moment: one wins, and the other says who decided what, and when",
    async () => {
      const { shop, pay, offices } = await all();
      for (const at of ROUNDS) {
        const id = `DECIDED-${at}`;
        await pay(id, "90.00");
        const review = `${id}:amount_mismatch:PAY-${id}`;
        const asked = (by: string, decision: ReviewDecision) => ({ review, decision, by });
        const tasks = [asked("Amina", "accept"), asked("Brian", "refunded")] as const;
        const replies = await atOnce(offices, tasks);
        const won = tasks.filter((_, person) => replies[person]?.error === undefined);
        expect(won).toHaveLength(1);
        const [{ by, decision } = tasks[0]] = won;
        const error = replies.find((reply) => reply.error)?.error;
        expect(error).toMatchObject({
          ...{ code: "review_decided", by, decision },
          message: expect.stringContaining(`${by} has decided`),
        });
        // As a third one reads it who decides later.
        await expect(shop.reviews.resolve(review, "dismiss")).rejects.toMatchObject({
          by,
          decision,
          decidedAt: new Date(error?.decidedAt ?? ""),
        });
        expect(await shop.inspect(id)).toMatchObject({
          status: decision === "accept" ? "paid" : "open",
          payments: [{ isRefunded: decision === "refunded" }],
          reviews: [],
        });
      }
    },
  );

  test.skipIf(place === undefined)(
    "that note a refund at the same moment never note more than came, and a known reference once",
    async () => {
      const { shop, pay, offices } = await all();
      for (const at of ROUNDS) {
        const order = `REFUNDED-${at}`;
        await pay(order, "100.00");
        const noted = await atOnce(offices, [
          { order, amount: 60, by: "Amina" },
          { order, amount: 60, by: "Brian" },
        ]);
        const codes = noted.map(({ error }) => error?.code);
        expect(codes.toSorted()).toEqual(["invalid_params", undefined]);
        const alike = { order, amount: 20, reference: `RB-${at}` };
        const again = await atOnce(offices, [
          { ...alike, by: "Amina" },
          { ...alike, by: "Brian" },
        ]);
        expect(again).toEqual([{}, {}]);
        const amounts = (await shop.refunds.list(order)).map(({ amount }) => amount);
        expect(amounts).toEqual(["60.00", "20.00"]);
        expect(await shop.inspect(order)).toMatchObject({ received: "20.00" });
      }
    },
  );
});
