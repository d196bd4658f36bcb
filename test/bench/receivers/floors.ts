// The leanest receivers that can be written by hand, one for each engine: each verifies, parses, stores in
// groups of what arrived while the last group was under way, and then acknowledges. None has a worker.
import { createHmac, timingSafeEqual } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import type { RequestListener, ServerResponse } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { Queue } from "bullmq";
import { Pool } from "pg";
import { SECRET } from "./load.ts";

const ACKNOWLEDGEMENT = JSON.stringify({ ResultCode: 0, ResultDesc: "received" });
const GROUP = 500;

/** A verified delivery. */
interface Delivery {
  readonly event: string;
  readonly reference: string;
  readonly body: string;
}

export function respond(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(ACKNOWLEDGEMENT);
}

/** What is usually written by hand, like Stripe's `constructEvent`. */
export function constructEvent(body: Buffer, signature: string) {
  const expected = createHmac("sha256", SECRET).update(body).digest("hex");
  const [given, wanted] = [Buffer.from(signature), Buffer.from(expected)];
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
    throw new Error("signature");
  return JSON.parse(body.toString("utf8"));
}

/** Reads and verifies. @param store - Calls `done` when the delivery is stored. */
function verified(store: (delivery: Delivery, done: () => void) => void): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      const { event, data } = constructEvent(body, `${request.headers["x-service-signature"]}`);
      const delivery = { event, reference: data.reference, body: body.toString("utf8") };
      store(delivery, () => respond(response));
    });
  };
}

/** Stores in groups. */
function grouped(
  write: (group: readonly Delivery[]) => Promise<unknown>,
  onDone: () => void,
): RequestListener {
  const waiting: { delivery: Delivery; done: () => void }[] = [];
  let isWriting = false;
  const flush = async () => {
    isWriting = true;
    while (waiting.length > 0) {
      const group = waiting.splice(0, GROUP);
      await write(group.map(({ delivery }) => delivery));
      for (const { done } of group) {
        onDone();
        done();
      }
    }
    isWriting = false;
  };
  return verified((delivery, done) => {
    waiting.push({ delivery, done });
    if (!isWriting) setImmediate(() => void (isWriting || flush()));
  });
}

const verifiedOnly = (onDone: () => void): RequestListener =>
  verified((_, done) => {
    onDone();
    done();
  });

async function sqlite(path: string, onDone: () => void): Promise<RequestListener> {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  database.exec("CREATE TABLE events (reference TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT");
  const insert = database.prepare("INSERT INTO events VALUES (?, ?) ON CONFLICT DO NOTHING");
  const log: FileHandle = await open(`${path}-wal`, "r+");
  return grouped(async (group) => {
    database.exec("BEGIN IMMEDIATE");
    for (const { reference, body } of group) insert.run(reference, body);
    database.exec("COMMIT");
    await log.datasync();
  }, onDone);
}

function redis(url: string, onDone: () => void): RequestListener {
  const queue = new Queue("floor", { connection: { url } });
  return grouped(
    (group) =>
      queue.addBulk(
        group.map(({ event, reference, body }) => ({
          name: event,
          data: { body },
          opts: { jobId: reference },
        })),
      ),
    onDone,
  );
}

async function postgres(url: string, onDone: () => void): Promise<RequestListener> {
  const pool = new Pool({ connectionString: url, max: 1 });
  await pool.query("CREATE TABLE floor_events (reference text PRIMARY KEY, body text NOT NULL)");
  return grouped(
    (group) =>
      pool.query({
        name: "insert",
        text: "INSERT INTO floor_events SELECT * FROM json_to_recordset($1::json) AS rows(reference text, body text) ON CONFLICT DO NOTHING",
        values: [JSON.stringify(group)],
      }),
    onDone,
  );
}

/** By name. `onDone` is called with each stored delivery. */
export const FLOORS: Readonly<
  Record<string, (store: string, onDone: () => void) => RequestListener | Promise<RequestListener>>
> = {
  "floor-verified": (_, onDone) => verifiedOnly(onDone),
  "floor-sqlite": sqlite,
  "floor-redis": redis,
  "floor-postgres": postgres,
};
