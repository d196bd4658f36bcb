import {
  AuthenticationError,
  Gateway,
  type GatewayOptions,
  KeyTypeError,
  PermissionError,
} from "malipo";
import type { Sandbox } from "malipo/sandbox";
import { beforeEach, describe, expect, test } from "vitest";
import { type Ids, ROWS, type Row } from "../../support/endpoints.ts";
import { KEYS, rejection } from "./gateway.ts";

type Kind = "public" | "secret" | "sandbox";

/** A new sandbox and how to reach it. */
export interface RunningSandbox {
  readonly sandbox: Sandbox;
  readonly fetch?: GatewayOptions["fetch"];
  readonly baseUrl: string;
}

const gatewayOf = ({ baseUrl, fetch }: RunningSandbox, apiKey: string) =>
  new Gateway({ apiKey, baseUrl, fetch, maxRetries: 0 });

const isOpen = (row: Row, kind: Kind) => kind !== "public" || row.open === "to public keys";

/** Creates what each row needs. */
async function seed(running: RunningSandbox): Promise<Ids> {
  const gateway = gatewayOf(running, running.sandbox.keys.secret);
  const { reference } = await gateway.mobileMoney.initiate({ amount: 75, phone: "0722000000" });
  const invoice = await gateway.invoices.create({ amount: 250, title: "May" });
  const webhook = await gateway.webhooks.register({
    name: "desk",
    url: "https://desk.example/hooks",
    events: ["subscription.created"],
  });
  return { reference, invoice: String(invoice.id), webhook: String(webhook.id) };
}

/** Calls every row with every kind of key. `way`: how the sandbox is reached. */
export function everyRow(way: string, open: () => RunningSandbox): void {
  describe.each(ROWS)(`row $number, $name, ${way}`, (row) => {
    let running: RunningSandbox;
    let ids: Ids;
    beforeEach(async () => {
      running = open();
      ids = await seed(running);
    });

    for (const kind of ["public", "secret", "sandbox"] as const) {
      const callWith = (apiKey: string) => row.call(gatewayOf(running, apiKey), ids);

      if (!isOpen(row, kind)) {
        test(`a ${kind} key is rejected before anything is sent, and changes nothing`, async () => {
          const before = running.sandbox.snapshot();
          const error = await rejection(callWith(running.sandbox.keys[kind]));
          expect(error).toBeInstanceOf(KeyTypeError);
          expect(error).toMatchObject({ code: "key_type", outcome: "not_sent" });
          expect(running.sandbox.snapshot()).toEqual(before);
        });
        continue;
      }

      test(`a ${kind} key gets the result`, async () => {
        const data = await callWith(running.sandbox.keys[kind]);
        const one = row.list ? (data as { items: unknown[] }).items[0] : data;
        expect(one).toMatchObject(row.result?.(ids) ?? {});
        for (const field of row.has ?? []) expect(one).toHaveProperty(field);
      });

      test(`a ${kind} key without the scope gets a PermissionError`, async () => {
        const bare = running.sandbox.createKey({ kind, scopes: [] });
        const before = running.sandbox.snapshot();
        const error = await rejection(callWith(bare));
        expect(error).toBeInstanceOf(PermissionError);
        expect(error).toMatchObject({ status: 403, code: "permission", outcome: "rejected" });
        expect(running.sandbox.snapshot()).toEqual(before);
      });

      test(`a ${kind} key that the service does not know gets an AuthenticationError`, async () => {
        const error = await rejection(callWith(KEYS[kind]));
        expect(error).toBeInstanceOf(AuthenticationError);
        expect(error).toMatchObject({ status: 401, code: "authentication", outcome: "rejected" });
      });
    }
  });
}
