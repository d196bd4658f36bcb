import type { NewDelivery } from "malipo/types";
import {
  createWebhookReceiver,
  type Inbox,
  type WebhookReceiver,
  type WebhookReceiverOptions,
} from "malipo/webhooks";
import { afterAll, afterEach, beforeAll, expect, vi } from "vitest";
import { memoryInbox } from "../../src/webhooks/inbox/memory/inbox.ts";
import type { Delivery, DeliveryResponse, Mount, Mounting } from "./webhook-mount.ts";
import { HEX, hmac, SECRET, utf8 } from "./webhook-sample.ts";

/** A place in which an adapter mounts receivers, and how it differs from others. */
export interface AdapterUnderTest {
  readonly name: string;
  readonly mount: Mounting;
  /** It is called as a function: with headers in a plain object, or with a `Request`. */
  readonly isCalledWith?: "any headers" | "a Request";
  /**
   * A body parser runs before it and keeps the bytes: `raw` inflates, `json` also responds to bodies
   * that are not JSON.
   */
  readonly parser?: "raw" | "json";
  /** Mounts below something that reads or parses the body, and what the log must say of each. */
  readonly spoilt?: readonly (readonly [by: string, mount: Mounting, hint: RegExp])[];
}

/** A place with a new receiver for each test. */
export interface Stage {
  readonly place: AdapterUnderTest;
  readonly port: number;
  /** What the receiver's inbox has stored. */
  readonly stored: readonly NewDelivery[];
  readonly onError: ReturnType<typeof vi.fn>;
  /** Mounts another receiver. */
  receive(options?: Partial<WebhookReceiverOptions>): WebhookReceiver;
  /** Delivers, and checks what holds for every response. */
  deliver(delivery: Delivery): Promise<DeliveryResponse>;
}

/** The right signature for a body, and the header that a parser needs to see it as JSON. */
export const signed = (body: Uint8Array): Delivery => ({
  body,
  headers: { "Content-Type": "application/json", "X-Service-Signature": hmac(body) },
});

/** Checks what holds for every response of a receiver: JSON in the service's form, without secrets. */
export function expectOurs({ status, headers, body }: DeliveryResponse, sent: Delivery): void {
  expect(headers["content-type"]).toMatch(/^application\/json(; charset=utf-8)?$/);
  const { ResultCode, ResultDesc, ...rest } = JSON.parse(body);
  expect([ResultCode, typeof ResultDesc, rest]).toEqual([status === 200 ? 0 : 1, "string", {}]);
  for (const secret of [SECRET, HEX, hmac(sent.body ?? utf8("")), "Otieno", "PAY-71"]) {
    expect(body).not.toContain(secret);
  }
}

/** Sets a place up for a suite: inside `describe`. */
export function stageAt(place: AdapterUnderTest): Stage {
  let current: WebhookReceiver;
  let mounted: Mount;
  let stored: NewDelivery[] = [];
  const onError = vi.fn();
  const currentReceiver = new Proxy({} as WebhookReceiver, {
    get: (_, name) => Reflect.get(current, name),
  });

  const stage: Stage = {
    place,
    onError,
    get stored() {
      return stored;
    },
    get port() {
      return mounted.port ?? 0;
    },
    receive: ({ inbox: given, ...options } = {}) => {
      const inbox = (given as Inbox | undefined) ?? memoryInbox();
      const here: NewDelivery[] = [];
      stored = here;
      onError.mockReset();
      const accept: typeof inbox.accept = async (delivery) => {
        const receipt = await inbox.accept(delivery);
        here.push(delivery);
        return receipt;
      };
      current = createWebhookReceiver({
        ...{ secret: SECRET, onError },
        ...options,
        inbox: { ...inbox, accept },
      });
      return current;
    },
    deliver: async (delivery) => {
      const response = await mounted.deliver(delivery);
      const isOfParser = place.parser && [400, 413].includes(response.status);
      if (delivery.method !== "HEAD" && !isOfParser) expectOurs(response, delivery);
      return response;
    },
  };

  beforeAll(async () => {
    stage.receive();
    mounted = await place.mount(currentReceiver);
  });
  afterAll(() => mounted?.close?.());
  afterEach(() => current.stop());
  return stage;
}
