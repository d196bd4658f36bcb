import { Gateway } from "malipo";
import { type CheckoutEngine, createCheckout } from "malipo/checkout";
import type { IdempotencyEngine, InboxEngine } from "malipo/types";
import { expect } from "vitest";
import { malipo } from "../cli/in-process.ts";
import { receiverOn } from "./inbox-stage.ts";

/** An engine that can never work as it is. */
export interface BadEngine extends IdempotencyEngine, InboxEngine, CheckoutEngine {
  open(): Promise<void>;
  close(): Promise<void>;
}

/** The word that no message may have. */
export const PASSWORD = "hunter2";

const GATEWAY = { apiKey: "sk_test_1", baseUrl: "http://127.0.0.1:9/v1" };

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** A checkout that hands nothing over. */
export const checkoutOn = (db: BadEngine, onError: (error: unknown) => void = () => {}) =>
  createCheckout({ store: db, gateway: GATEWAY, secret: "whsec_1", onPaid: () => {}, onError });

/** What an engine of the application says to whoever opens, starts or uses it. @param says - In one line. */
export async function rejectsAtStart(make: () => BadEngine, says: RegExp): Promise<void> {
  const whole = new RegExp(`^${says.source}$`);
  const rejected = { code: "configuration", message: expect.stringMatching(whole) };
  const noneOf = /\n|hunter2/;
  const db = make();
  const opened = await failure(db.open());
  expect(opened).toMatchObject(rejected);
  expect(String(opened)).not.toMatch(noneOf);
  const receiver = receiverOn(db.inbox());
  expect(await failure(receiver.start())).toMatchObject(rejected);
  // It is told once: by the start.
  expect(receiver.onError).not.toHaveBeenCalled();
  expect(await receiver.post("PAY-1")).toEqual([503, "cannot be stored now"]);
  await receiver.stop({ timeoutMs: 0 });
  const reported: unknown[] = [];
  const checkout = checkoutOn(db, (error) => reported.push(error));
  expect(await failure(checkout.start())).toMatchObject(rejected);
  expect(reported).toEqual([]);
  await checkout.stop({ timeoutMs: 0 });
  const { mobileMoney } = new Gateway({ ...GATEWAY, idempotency: db });
  const params = { amount: 100, phone: "0712345678" };
  // The message says why, after what it says of the call.
  expect(await failure(mobileMoney.initiate(params, { idempotencyKey: "A/1" }))).toMatchObject({
    outcome: "not_sent",
    message: expect.stringMatching(new RegExp(`so nothing was sent\\..* ${says.source}`)),
  });
  await db.close();
}

/** What the command line says about a store: one line, and never a stack or the password. */
export async function isRefusedByCommands(store: string, says: RegExp, code = 2): Promise<void> {
  for (const command of [
    ["inbox", "list"],
    ["attempts", "list"],
    ["checkout", "list"],
  ]) {
    const ended = await malipo([...command, "--store", store]);
    expect({ command, ...ended }).toMatchObject({ code, stdout: "" });
    expect(ended.stderr).toMatch(says);
    expect(ended.stderr).not.toMatch(/hunter2|\n {2,}at /);
    expect(ended.stderr.trim().split("\n").length).toBeLessThanOrEqual(2);
  }
}
