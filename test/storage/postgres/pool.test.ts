import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { connectTo, poolFor } from "../../../src/storage/postgres/pool.ts";

/** A message of PostgreSQL: https://www.postgresql.org/docs/current/protocol-message-formats.html */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Lets a client in, says that it is ready, and that it ends the connection. */
const LAST_WORDS = Buffer.concat([
  message("R", Buffer.alloc(4)),
  message("Z", Buffer.from("I")),
  message("E", Buffer.from("SFATAL\0C57P01\0Mterminating connection\0\0")),
]);

test("a connection that the server ends while it is handed over does not end the process", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(LAST_WORDS));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const pool = poolFor(`postgres://shop@127.0.0.1:${port}/shop`, undefined);
  // An error that nothing listens to would fail the run.
  const client = await connectTo(pool);
  await expect(client.query("SELECT 1")).rejects.toThrow();
  client.release(true);
  await pool.end();
  server.close();
});
