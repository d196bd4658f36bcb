import { createHmac } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export const SECRET = "whsec_bench";

// Of this run: an event that is older than an inbox remembers would be a dead letter.
const TIMESTAMP = new Date().toISOString();

/** The bytes of a request: a signed delivery of a new event. */
export function requestOf(reference: string): Buffer {
  const body = JSON.stringify({
    event: "payment.completed",
    timestamp: TIMESTAMP,
    data: {
      payment_id: 7315,
      reference,
      status: "completed",
      amount: "1500.00",
      fee_amount: "22.50",
      net_amount: "1477.50",
      currency: "KES",
      channel: "mpesa",
      account_reference: `ORDER-${reference}`,
      mpesa_receipt: "UAV71XKQ2P",
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

/**
 * Sends requests on a number of connections, which are spread over the ports. Returns the total seconds
 * and the time of each response.
 */
export async function load(
  ports: readonly number[],
  requests: readonly Buffer[],
  connections: number,
) {
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
  return { seconds, tookMs };
}
