/**
 * A receiver, or a page, on Fastify.
 *
 * @module malipo/fastify
 */

import type { FastifyInstance } from "fastify";
import { onNode } from "../../internal/on-node.ts";
import { withoutTrailingSlashes } from "../../internal/urls.ts";
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

/** What `app.register(fastifyPage, options)` takes. */
export interface FastifyPageOptions {
  /** A handler of `Request` objects, such as `checkout.page()` and `operatorHandler()` return. */
  readonly page: (request: Request) => Promise<Response>;
  /** The path of the page, with all paths below it. */
  readonly path: string;
}

/**
 * Mounts a page on Fastify 5, as a plugin. The page reads its own forms; the parsing of all other routes
 * stays the same. Hooks `onRequest` of your own, such as a login, run before it if they are registered first.
 *
 * @example
 * ```ts
 * const app = fastify();
 * app.register(fastifyPage, { page: checkout.page({ merchant: { name: "Duka" } }), path: "/pay" });
 * ```
 */
export async function fastifyPage(
  app: FastifyInstance,
  { page, path }: FastifyPageOptions,
): Promise<void> {
  const handle = onNode(page);
  const below = `${withoutTrailingSlashes(path)}/*`;
  for (const url of [path, below]) {
    app.route({
      method: ["GET", "POST"],
      url,
      // Before Fastify parses: it rejects forms.
      onRequest: async (request, reply) => {
        reply.hijack();
        await handle(request.raw, reply.raw);
      },
      handler: () => {},
    });
  }
}
