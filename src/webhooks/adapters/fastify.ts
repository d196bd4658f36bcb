/**
 * A receiver on Fastify.
 *
 * @module malipo/fastify
 */

import type { FastifyInstance } from "fastify";
import type { WebhookReceiver } from "../receiver/webhook-receiver.ts";
import { responseTo } from "./node-body.ts";

/** What `app.register(fastifyWebhooks, options)` takes. */
export interface FastifyWebhooksOptions {
  /** The receiver that `createWebhookReceiver` returned. */
  readonly receiver: WebhookReceiver;
  /** The path of the route, below the `prefix` of the plugin. Set it without a `prefix`. @default "/" */
  readonly path?: string;
}

const HINT =
  "Fastify: register `fastifyWebhooks` outside of the plugin that reads the body first: an `onRequest` " +
  "hook, or a parser that is registered with `@fastify/middie` or `@fastify/express`.";

/**
 * Mounts a receiver on Fastify 5, as a plugin. The route reads the raw bytes; the parsing of all
 * other routes stays the same.
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
    // Responds before Fastify parses, which would reject unknown content types and apply another limit.
    onRequest: async (request, reply) => {
      const { status, headers, body } = await responseTo(request.raw, receiver, () => HINT);
      return reply.code(status).headers(headers).send(body);
    },
    handler: () => {},
  });
}
