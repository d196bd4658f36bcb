import type { Receipt } from "malipo/types";
import {
  createWebhookReceiver,
  type Inbox,
  receiptFor,
  type WebhookReceiver,
} from "malipo/webhooks";
import { describe, expect, test, vi } from "vitest";
import { memoryInbox } from "../../../src/webhooks/inbox/memory/inbox.ts";
import { BODY, HEX, SECRET } from "../../suites/webhook-sample.ts";
import { gate } from "../support/deliver.ts";

const REQUEST = { method: "POST", headers: { "X-Service-Signature": HEX }, body: BODY };

/** A receiver whose inbox has this accept(). */
function receiverOn(accept: Inbox["accept"]) {
  const onError = vi.fn();
  const inbox = { ...memoryInbox(), accept };
  const receiver: WebhookReceiver = createWebhookReceiver({ secret: SECRET, inbox, onError });
  return { receiver, onError };
}

const responseOf = (status: number, ResultCode: number, ResultDesc: string, headers = {}) => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify({ ResultCode, ResultDesc }),
});

describe("a receipt", () => {
  test.each([
    ["accepted", "received"],
    ["duplicate", "received before"],
    ["conflict", "received before with other data"],
  ] as const)("of kind %s is acknowledged: %s", async (kind, description) => {
    const { receiver } = receiverOn(async () => receiptFor(kind));
    expect(await receiver.handle(REQUEST)).toEqual(responseOf(200, 0, description));
  });

  test("comes before the response: the inbox stores first", async () => {
    const stored = gate<Receipt>();
    const accept = vi.fn(() => stored.opened);
    const onResponse = vi.fn();
    const response = receiverOn(accept).receiver.handle(REQUEST);
    response.then(onResponse);
    await new Promise(setImmediate);
    expect(accept).toHaveBeenCalledTimes(1);
    expect(onResponse).not.toHaveBeenCalled();
    stored.open(receiptFor("accepted"));
    expect((await response).status).toBe(200);
  });
});

const DOWN = responseOf(503, 1, "cannot be stored now", { "retry-after": "10" });
const FAILED = responseOf(500, 1, "the receiver failed");

const NO_RECEIPTS: [what: string, accept: () => unknown, expected: object, message: RegExp][] = [
  ["rejects", () => Promise.reject(new Error("down")), DOWN, /^down$/],
  [
    "throws",
    () => {
      throw new Error("down");
    },
    DOWN,
    /^down$/,
  ],
  ["resolves with undefined", async () => undefined, FAILED, /undefined/],
  [
    "resolves with an object that looks like a receipt",
    async () => ({ kind: "constructor" }),
    FAILED,
    /^accept\(\) of the inbox must resolve with a receipt, which receiptFor\(\) makes; got an object\.$/,
  ],
];

test.each(NO_RECEIPTS)(
  "an inbox that %s does not result in a 200, and is reported",
  async (_, accept, expected, pattern) => {
    const { receiver, onError } = receiverOn(accept as Inbox["accept"]);
    expect(await receiver.handle(REQUEST)).toEqual(expected);
    const message = expect.stringMatching(pattern);
    expect(onError.mock.calls).toEqual([[expect.objectContaining({ message })]]);
  },
);
