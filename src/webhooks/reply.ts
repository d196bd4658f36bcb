import type { Receipt } from "./inbox/contract.ts";

/** What a receiver answers. Adapters turn it into their framework's response. */
export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

// Section 6.7: `ResultCode` 0 means received. Anything else says in words what it is, and nothing of
// the body, the digest or the secret.
const reply = (status: number, code: number, text: string, headers = {}): Reply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify({ ResultCode: code, ResultDesc: text }),
});

const RECEIVED: Readonly<Record<Receipt["standing"], string>> = {
  accepted: "received",
  duplicate: "received before",
  conflict: "received with other data before",
};

/** 200. There is no way to it but by the receipt that an inbox gives for what it has stored. */
export const acknowledge = ({ standing }: Receipt): Reply => reply(200, 0, RECEIVED[standing]);

export const refuse = (status: number, text: string, headers?: Record<string, string>): Reply =>
  reply(status, 1, text, headers);
