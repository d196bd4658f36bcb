import { once } from "node:events";
import {
  Agent,
  createServer,
  type RequestListener,
  request as requestOf,
  type Server,
} from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { WebhookReceiver } from "malipo/webhooks";

/** A request, as the service or an attacker sends one. */
export interface Delivery {
  /** @default "POST" */
  readonly method?: string;
  /** A list is sent as that many headers. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array;
  /** Over a socket: without Content-Length. */
  readonly chunked?: boolean;
  /** Over a socket: sends the body in pieces that end there. */
  readonly splitAt?: readonly number[];
}

export interface DeliveryResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** A receiver that an adapter has mounted. */
export interface Mount {
  deliver(delivery: Delivery): Promise<DeliveryResponse>;
  /** The port on which it listens; an adapter that is called as a function has none. */
  readonly port?: number;
  close?(): unknown;
}

/** Mounts a receiver. */
export type Mounting = (receiver: WebhookReceiver) => Mount | Promise<Mount>;

export const PATH = "/webhooks";

function send(port: number, agent: Agent, delivery: Delivery): Promise<DeliveryResponse> {
  const {
    method = "POST",
    headers = {},
    body = new Uint8Array(),
    chunked,
    splitAt = [],
  } = delivery;
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => [name, one]),
  );
  const framing = chunked ? ["Transfer-Encoding", "chunked"] : ["Content-Length", `${body.length}`];
  return new Promise((resolve, reject) => {
    const request = requestOf({
      ...{ port, agent, method, path: PATH, host: "127.0.0.1" },
      headers: ["Host", "shop.test", ...lines, ...framing],
    });
    request.setNoDelay();
    // After the response, errors of the rest of the request do not matter.
    request.on("error", reject);
    request.on("response", async (response) => {
      let body = "";
      for await (const chunk of response.setEncoding("utf8")) body += chunk;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
    });
    const ends = [...splitAt, body.length];
    void (async () => {
      for (const [index, end] of ends.entries()) {
        if (index > 0) await setImmediate();
        request.write(body.subarray(ends[index - 1] ?? 0, end));
      }
      request.end();
    })();
  });
}

/** Has a server listen on loopback. */
export async function onSocket(server: Server, close?: () => unknown): Promise<Mount> {
  if (!server.listening) server.listen(0, "127.0.0.1");
  if (!server.listening) await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  return {
    port,
    deliver: (delivery) => send(port, agent, delivery),
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await close?.();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const listening = (listener: RequestListener): Promise<Mount> =>
  onSocket(createServer(listener));

/** Sends bytes to a server. Resolves with its response when `isEnough` holds or the connection closes. */
export async function say(
  port: number,
  parts: readonly (string | Uint8Array)[],
  isEnough: (heard: string) => boolean = () => false,
): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let heard = "";
  const end = new Promise<void>((resolve) => {
    socket.setEncoding("latin1").on("data", (data) => {
      heard += data;
      if (isEnough(heard)) resolve();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve());
  });
  for (const part of parts) {
    socket.write(part);
    await setImmediate();
  }
  await end;
  socket.destroy();
  return heard;
}

/** Sends bytes to a server, and more of them until the server closes the connection. */
export async function pour(port: number, parts: readonly string[]): Promise<void> {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  for (const part of parts) socket.write(part);
  const more = Buffer.alloc(2 ** 20);
  const write = () => socket.writable && socket.write(more, () => write());
  write();
  socket.resume();
  await closed;
}

/** Sends bytes to a server and disconnects: as a process that dies (`reset`), or as one that closes (`leave`). */
export async function breakOff(
  port: number,
  parts: readonly (string | Uint8Array)[],
  how: "reset" | "leave",
): Promise<void> {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  for (const part of parts) await new Promise((resolve) => socket.write(part, resolve));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  if (how === "reset") socket.resetAndDestroy();
  else socket.resume().end();
  await closed;
}
