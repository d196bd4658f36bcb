/**
 * A receiver on Fastify.
 *
 * @module malipo/fastify
 */

import type { FastifyInstance } from "fastify";
import type { WebhookReceiver } from "../receiver/receiver.ts";
import { replyTo } from "./node-body.ts";

/** What `app.register(fastifyWebhooks, options)` takes. */
export interface FastifyWebhooksOptions {
  /** What `createWebhookReceiver` gave. */
  readonly receiver: WebhookReceiver;
  /** Where deliveries arrive, below the `prefix` if there is one. @default "/" */
  readonly path?: string;
}

const HINT =
  "Fastify: register `fastifyWebhooks` outside of what reads the body first: a hook (`onRequest`), " +
  "or a parser that is registered with `@fastify/middie` or `@fastify/express`.";

/**
 * Mounts a receiver on Fastify 5, as a plugin. The route has its raw bytes; the parsing of all other
 * routes is left alone.
 *
 * @example
 * ```ts
 * const app = fastify();
 * app.register(fastifyWebhooks, { receiver, path: "/webhooks" });
 * ```
 */
export async function fastifyWebhooks(
  app: FastifyInstance,
  { receiver, path = "/" }: FastifyWebhooksOptions,
): Promise<void> {
  app.all(path, {
    // Answered ahead of Fastify's parsing, which would refuse what it does not know, and would count
    // by another limit.
    onRequest: async (request, reply) => {
      const { status, headers, body } = await replyTo(request.raw, receiver, HINT);
      return reply.code(status).headers(headers).send(body);
    },
    handler: () => {},
  });
}
