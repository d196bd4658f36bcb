import { createHmac } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export const SECRET = "whsec_bench";

/** A signed delivery of an event of its own, as the bytes of a request. */
export function requestOf(reference: string): Buffer {
  const body = JSON.stringify({
    event: "payment.completed",
    timestamp: "2026-01-02T03:04:05+03:00",
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

/** Whether a whole answer is there. */
function isWhole(answer: string): boolean {
  const head = answer.indexOf("\r\n\r\n");
  if (head < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(answer.slice(0, head));
  return length === null
    ? answer.endsWith("\r\n0\r\n\r\n")
    : answer.length >= head + 4 + Number(length[1]);
}

/** Sends one request after another down a connection, and keeps how long each answer took. */
async function drive(socket: Socket, next: () => Buffer | undefined, tookMs: number[]) {
  let answer = "";
  let sentAt = 0;
  await new Promise<void>((resolve, reject) => {
    const send = () => {
      const request = next();
      if (request === undefined) return resolve();
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
      if (!isWhole(answer)) return;
      tookMs.push(performance.now() - sentAt);
      if (!answer.startsWith("HTTP/1.1 200")) return reject(new Error(answer));
      answer = "";
      send();
    });
    socket.on("error", reject);
    send();
  });
}

/** Sends requests down so many connections. Gives the seconds it took, and what each answer took. */
export async function load(port: number, requests: readonly Buffer[], connections: number) {
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
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
