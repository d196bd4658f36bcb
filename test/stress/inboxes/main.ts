// Posts signed events to a receiver that is killed at random, and counts what became of them:
// node test/stress/inboxes/main.ts --inbox sqlite --events 20000 --kills 100 [--seed 1]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startPostgres } from "../../support/engines/postgres.ts";
import { startRedis } from "../../support/engines/redis.ts";
import { type InboxName, SHOPS } from "./inboxes.ts";
import { runSoak } from "./soak.ts";

const { values } = parseArgs({
  options: {
    inbox: { type: "string", default: "sqlite" },
    events: { type: "string", default: "20000" },
    kills: { type: "string" },
    seed: { type: "string", default: "1" },
    // Leases this short, and no waits between attempts: a quick look.
    "lease-ms": { type: "string" },
  },
});
const inbox = values.inbox as InboxName;
const leaseMs = values["lease-ms"] === undefined ? undefined : Number(values["lease-ms"]);
if (!Object.hasOwn(SHOPS, inbox)) {
  console.error(`--inbox is one of ${Object.keys(SHOPS).join(", ")}.`);
  process.exit(2);
}
// What lives in the process dies with it, and says so.
const kills = inbox === "memory" ? 0 : Number(values.kills ?? 100);
if (inbox === "memory" && Number(values.kills ?? 0) > 0) {
  console.log("memoryInbox forgets what it holds when its process dies: it is not killed.");
}

const engines = {
  memory: undefined,
  sqlite: undefined,
  bullmq: startRedis,
  "pg-boss": startPostgres,
};
const start = engines[inbox];
const engine = await start?.();
if (start !== undefined && engine === undefined) process.exit(2);
const folder = mkdtempSync(join(tmpdir(), "malipo-soak-"));
const place = {
  store: engine?.url ?? join(folder, "inbox.db"),
  queue: `malipo-soak-${process.pid}`,
  ledger: join(folder, "ledger.db"),
  leaseMs,
};
const program = fileURLToPath(new URL("./shop.ts", import.meta.url));
const found = await runSoak({
  inbox,
  place,
  program,
  events: Number(values.events),
  kills,
  seed: Number(values.seed),
  say: (line) => process.stderr.write(`${line}\n`),
});
await engine?.stop();
rmSync(folder, { recursive: true, force: true });

const rows: readonly (readonly [what: string, count: number])[] = [
  ["sent", found.sent],
  ["acknowledged", found.acknowledged],
  ["lost", found.lost],
  ["invented", found.invented],
  [`effects more than once, ${found.once}`, found.repeated],
  ["kills", found.kills],
  ["deliveries, repeats and retries included", found.deliveries],
];
console.log(`${inbox}, seed ${values.seed}, ${found.seconds} s`);
for (const [what, count] of rows) console.log(`${String(count).padStart(8)}  ${what}`);
const kept =
  found.acknowledged === found.sent &&
  found.kills === kills &&
  found.lost + found.invented + found.repeated === 0;
console.log(kept ? "Kept." : "BROKEN.");
process.exit(kept ? 0 : 1);
