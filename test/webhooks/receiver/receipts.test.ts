import {
  createWebhookReceiver,
  type Inbox,
  memoryInbox,
  type Receipt,
  receiptFor,
  type WebhookReceiver,
} from "malipo/webhooks";
import { describe, expect, test, vi } from "vitest";
import { BODY, HEX, SECRET } from "../../suites/webhook-sample.ts";
import { gate } from "../support/deliver.ts";

const REQUEST = { method: "POST", headers: { "X-Service-Signature": HEX }, body: BODY };

/** A receiver whose inbox says that of everything. */
function receiverOn(accept: Inbox["accept"]) {
  const onError = vi.fn();
  const inbox = { ...memoryInbox(), accept };
  const receiver: WebhookReceiver = createWebhookReceiver({ secret: SECRET, inbox, onError });
  return { receiver, onError };
}

const answer = (status: number, ResultCode: number, ResultDesc: string, headers = {}) => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify({ ResultCode, ResultDesc }),
});

describe("a receipt", () => {
  test.each([
    ["accepted", "received"],
    ["duplicate", "received before"],
    ["conflict", "received with other data before"],
  ] as const)("of %s is acknowledged: %s", async (standing, said) => {
    const { receiver } = receiverOn(async () => receiptFor(standing));
    expect(await receiver.handle(REQUEST)).toEqual(answer(200, 0, said));
  });

  test("is waited for: nothing is answered before the inbox has stored", async () => {
    const stored = gate<Receipt>();
    const accept = vi.fn(() => stored.opened);
    const onAnswer = vi.fn();
    const reply = receiverOn(accept).receiver.handle(REQUEST);
    reply.then(onAnswer);
    await new Promise(setImmediate);
    expect(accept).toHaveBeenCalledTimes(1);
    expect(onAnswer).not.toHaveBeenCalled();
    stored.open(receiptFor("accepted"));
    expect((await reply).status).toBe(200);
  });
});

const DOWN = answer(503, 1, "cannot be stored now", { "retry-after": "10" });
const FAILED = answer(500, 1, "the receiver failed");

const NO_RECEIPTS: [what: string, accept: () => unknown, expected: object, told: RegExp][] = [
  ["rejects", () => Promise.reject(new Error("down")), DOWN, /^down$/],
  [
    "throws",
    () => {
      throw new Error("down");
    },
    DOWN,
    /^down$/,
  ],
  ["gives no receipt", async () => undefined, FAILED, /undefined/],
  [
    "gives what looks like a receipt",
    async () => ({ standing: "constructor" }),
    FAILED,
    /^The inbox gave no receipt\. `receiptFor\(\)` makes one\.$/,
  ],
];

test.each(NO_RECEIPTS)(
  "an inbox that %s is no 200, and told",
  async (_, accept, expected, told) => {
    const { receiver, onError } = receiverOn(accept as Inbox["accept"]);
    expect(await receiver.handle(REQUEST)).toEqual(expected);
    const message = expect.stringMatching(told);
    expect(onError.mock.calls).toEqual([[expect.objectContaining({ message })]]);
  },
);
