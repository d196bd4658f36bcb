import { createServer } from "node:http";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { createWakeups, memory, mergePayment, type Payment } from "malipo";
import { fastifyWebhooks } from "malipo/fastify";
import { fetchHandler } from "malipo/fetch";
import { type LambdaResponse, lambdaHandler } from "malipo/lambda";
import { nodeHandler } from "malipo/node";
import { sqlite } from "malipo/sqlite";
import type { Acknowledgement, Receipt, Rejection } from "malipo/types";
import {
  createWebhookReceiver,
  type EventKind,
  type HandlerContext,
  type Inbox,
  type KnownWebhookEvent,
  type PaymentCompletedData,
  type PaymentCompletedEvent,
  type PaymentFailedData,
  type PaymentFailedEvent,
  receiptFor,
  type WebhookEvent,
  type WebhookReceiver,
  type WebhookReceiverOptions,
  type WebhookResponse,
} from "malipo/webhooks";
import pino from "pino";
import { expectTypeOf, test } from "vitest";
import { acknowledge, reject } from "../../src/webhooks/receiver/webhook-responses.ts";

declare const receiver: WebhookReceiver;

test("a 200 is made only from a receipt", () => {
  expectTypeOf(acknowledge).parameters.toEqualTypeOf<[Receipt]>();
  expectTypeOf(acknowledge).returns.toEqualTypeOf<Acknowledgement>();
  expectTypeOf(receiver.handle).returns.toEqualTypeOf<Promise<WebhookResponse>>();
  expectTypeOf<Extract<WebhookResponse, { status: 200 }>>().toEqualTypeOf<Acknowledgement>();

  // @ts-expect-error: an object with the same shape is not a receipt
  acknowledge({ kind: "accepted" });
  // @ts-expect-error: nor is a boolean
  acknowledge(true);
  // @ts-expect-error: a 200 without a receipt
  const forged: WebhookResponse = { status: 200, headers: {}, body: "" };
  // @ts-expect-error: an error response is never a 200
  reject(200, "received");
  // @ts-expect-error: an object with the same shape is not an acknowledgement
  const shaped: Acknowledgement = { status: 200 as const, headers: {}, body: "" };
  expectTypeOf(forged).toBeObject();
  expectTypeOf(shaped).toBeObject();
});

test("a receipt comes from an inbox", () => {
  expectTypeOf<Awaited<ReturnType<Inbox["accept"]>>>().toEqualTypeOf<Receipt>();
  expectTypeOf(receiptFor).returns.toEqualTypeOf<Receipt>();
  expectTypeOf(receiptFor).parameter(0).toEqualTypeOf<"accepted" | "duplicate" | "conflict">();
  // @ts-expect-error: not a kind of receipt
  receiptFor("stored");
  // @ts-expect-error: the inbox returns no receipt
  const accept: Inbox["accept"] = async () => ({ kind: "accepted" });
  expectTypeOf(accept).toBeFunction();
});

test("an error response has the documented statuses", () => {
  expectTypeOf<Rejection["status"]>().toEqualTypeOf<400 | 401 | 405 | 413 | 500 | 503>();
  expectTypeOf(reject).returns.toEqualTypeOf<Rejection>();
  expectTypeOf(receiver.rejectParsedBody).returns.toEqualTypeOf<Rejection>();
});

test("a handler gets an event of its kind", () => {
  receiver.on("payment.completed", (event, context) => {
    expectTypeOf(event).toEqualTypeOf<KnownWebhookEvent<"payment.completed">>();
    expectTypeOf(event.data).toExtend<PaymentCompletedData>();
    expectTypeOf(context).toEqualTypeOf<HandlerContext>();
    expectTypeOf(context.attempt).toEqualTypeOf<number>();
    expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
    expectTypeOf(context.idempotencyKey).toEqualTypeOf<string>();
  });
  receiver.on("payment.failed", async ({ data }) => {
    expectTypeOf(data).toExtend<PaymentFailedData>();
  });
  receiver.onOther((event) => expectTypeOf(event).toEqualTypeOf<WebhookEvent>());
  expectTypeOf<Parameters<typeof receiver.on>[0]>().toEqualTypeOf<EventKind>();

  // @ts-expect-error: the kind is misspelt
  receiver.on("payment.complete", () => {});
  // @ts-expect-error: a handler is a function
  receiver.on("payment.completed", {});
  // @ts-expect-error: the handler is for another kind of event
  receiver.on("payment.completed", (event: KnownWebhookEvent<"payment.failed">) => event);
});

test("one handler takes the two events of a payment that has ended", () => {
  const orders = new Map<string, Payment>();
  const handler = async ({ data }: PaymentCompletedEvent | PaymentFailedEvent) => {
    const { payment } = mergePayment(orders.get(data.reference), data);
    orders.set(data.reference, payment);
    expectTypeOf(data.account_reference).toEqualTypeOf<string | undefined>();
  };
  receiver.on("payment.completed", handler);
  receiver.on("payment.failed", handler);
  // @ts-expect-error: an invoice is not a payment
  receiver.on("invoice.paid", handler);
});

test("the receiver has the documented options", () => {
  createWebhookReceiver({ secret: ["old", new Uint8Array(4)], inbox: memory() });
  createWebhookReceiver({ secret: "s", inbox: sqlite("shop.db"), wakeups: createWakeups() });
  createWebhookReceiver({
    secret: "s",
    onConflict: (event) => expectTypeOf(event).toEqualTypeOf<WebhookEvent>(),
    onError: (error, attempt) => {
      expectTypeOf(error).toEqualTypeOf<unknown>();
      expectTypeOf(attempt?.willRetry).toEqualTypeOf<boolean | undefined>();
    },
  });
  expectTypeOf<{ secret: string }>().toExtend<WebhookReceiverOptions>();
  // @ts-expect-error: the environment variable may be unset
  createWebhookReceiver({ secret: process.env.SECRET });
  // @ts-expect-error: the option does not exist
  createWebhookReceiver({ secret: "s", tolerance: 300 });
  // @ts-expect-error: the option does not exist
  receiver.stop({ timeout: 5 });
});

test("frameworks accept the adapters without a cast", () => {
  express().use("/webhooks", nodeHandler(receiver));
  express().post("/webhooks", express.raw({ type: "*/*" }), nodeHandler(receiver));
  createServer(nodeHandler(receiver));
  fastify().register(fastifyWebhooks, { receiver, path: "/webhooks" });
  fastify({ loggerInstance: pino() }).register(fastifyWebhooks, { receiver, prefix: "/webhooks" });
  new Hono().all("/webhooks", (c) => fetchHandler(receiver)(c.req.raw));
  expectTypeOf(fetchHandler(receiver)).toExtend<(request: Request) => Promise<Response>>();
  expectTypeOf(lambdaHandler(receiver)).returns.toEqualTypeOf<Promise<LambdaResponse>>();

  // @ts-expect-error: the receiver is missing
  fastify().register(fastifyWebhooks, { path: "/webhooks" });
  // @ts-expect-error: a receiver is not a request listener
  createServer(receiver);
});

test("a secret is a text, bytes, a list, or a function of the merchant", () => {
  const secrets: WebhookReceiverOptions["secret"][] = [
    "whsec_1",
    new Uint8Array(32),
    ["new", "old"],
    (merchant) => merchant,
    async () => ["new", "old"],
    async () => undefined,
    () => null,
  ];
  expectTypeOf(secrets).toBeArray();
  createWebhookReceiver({
    secret: (merchant: string) => merchant,
    merchant: ({ url, header }) => {
      expectTypeOf(url).toEqualTypeOf<URL>();
      expectTypeOf(header).toEqualTypeOf<(name: string) => string | undefined>();
      return url.pathname.split("/")[2];
    },
  });
  // @ts-expect-error: a number is not a secret
  createWebhookReceiver({ secret: () => 7, merchant: () => "shop" });
  // @ts-expect-error: the merchant is found without waiting
  createWebhookReceiver({ secret: "whsec_1", merchant: async () => "shop" });
});

test("a handler gets the merchant", () => {
  expectTypeOf<HandlerContext["merchant"]>().toEqualTypeOf<string | undefined>();
});
