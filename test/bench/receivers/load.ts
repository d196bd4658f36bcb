import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { NewDelivery } from "malipo/types";

export const SECRET = "whsec_bench";

// Of this run: an event that is older than an inbox remembers would be a dead letter.
const TIMESTAMP = new Date().toISOString();

/**
 * The bytes of a request: a signed delivery of a new event, with its own payment, order and transaction.
 *
 * @param order - The order that it pays, if it is not its own.
 */
function requestOf(number: number, order = `ORDER-${number}`): Buffer {
  const body = JSON.stringify({
    event: "payment.completed",
    timestamp: TIMESTAMP,
    data: {
      payment_id: number,
      reference: `PAY-${number}`,
      status: "completed",
      amount: "1500.00",
      fee_amount: "22.50",
      net_amount: "1477.50",
      currency: "KES",
      channel: "mpesa",
      account_reference: order,
      mpesa_receipt: `U${number.toString(36).toUpperCase().padStart(9, "0")}`,
      payer_phone: "254712345678",
      payer_name: "A. Otieno",
      completed_at: "2026-01-02T03:04:04+03:00",
    },
  });
  const signature = createHmac("sha256", SECRET).update(body).digest("hex");
  return Buffer.from(
    `POST /webhooks HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\nx-service-signature: ${signature}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

let made = 0;

/** A delivery of a new event, as an inbox gets it. */
export function newDelivery(): NewDelivery {
  const request = requestOf(made++);
  const key = randomBytes(32).toString("hex");
  return {
    ...{ key, digest: key, event: "payment.completed", secretIndex: 0, signature: key },
    raw: request.subarray(request.indexOf("\r\n\r\n") + 4),
    receivedAt: Date.now(),
  };
}

/** One of this many deliveries is sent twice. */
const TWICE = 10;

/** How many others come between the two. */
const BETWEEN = 200;

/** Deliveries of some events, a tenth of which is sent twice. */
function requestsOf({ first, events, order }: Load): Buffer[] {
  const all = Array.from({ length: events }, (_, at) => requestOf(first + at, order));
  return all.flatMap((request, at) => {
    const again = at - BETWEEN;
    const before = again >= 0 && again % TWICE === 0 ? all[again] : undefined;
    return before === undefined ? [request] : [request, before];
  });
}

/** What the client sends. */
export interface Load {
  readonly ports: readonly number[];
  readonly connections: number;
  /** The number of its first event. */
  readonly first: number;
  readonly events: number;
  /** The order that all of its payments pay: a burst of double payments. */
  readonly order?: string | undefined;
}

/** What it took. */
export interface Loaded {
  /** How many deliveries were sent. */
  readonly requests: number;
  /** When the first one was sent, in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly seconds: number;
  /** The time of each response. */
  readonly tookMs: readonly number[];
}

/** Whether the response is complete. */
function isComplete(received: string): boolean {
  const head = received.indexOf("\r\n\r\n");
  if (head < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, head));
  return length === null
    ? received.endsWith("\r\n0\r\n\r\n")
    : received.length >= head + 4 + Number(length[1]);
}

/** Sends one request after another on a connection, and records how long each response took. */
async function drive(socket: Socket, next: () => Buffer | undefined, tookMs: number[]) {
  let received = "";
  let sentAt = 0;
  await new Promise<void>((resolve, reject) => {
    const send = () => {
      const request = next();
      if (request === undefined) return resolve();
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (!isComplete(received)) return;
      tookMs.push(performance.now() - sentAt);
      if (!received.startsWith("HTTP/1.1 200")) return reject(new Error(received));
      received = "";
      send();
    });
    socket.on("error", reject);
    send();
  });
}

/** Sends the deliveries, on connections that are spread over the ports. */
export async function load(asked: Load): Promise<Loaded> {
  const { ports, connections } = asked;
  const requests = requestsOf(asked);
  const sockets = await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      const port = ports[index % ports.length] as number;
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      await once(socket, "connect");
      return socket;
    }),
  );
  const tookMs: number[] = [];
  let at = 0;
  const started = performance.now();
  await Promise.all(sockets.map((socket) => drive(socket, () => requests[at++], tookMs)));
  const seconds = (performance.now() - started) / 1_000;
  for (const socket of sockets) socket.destroy();
  const startedAt = performance.timeOrigin + started;
  return { requests: requests.length, startedAt, seconds, tookMs };
}
