// Posts signed events to a receiver that is killed at random, and counts what happened to them:
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
    // Short leases, and retries without a wait: for a quick run.
    "lease-ms": { type: "string" },
  },
});
const inbox = values.inbox as InboxName;
const leaseMs = values["lease-ms"] === undefined ? undefined : Number(values["lease-ms"]);
if (!Object.hasOwn(SHOPS, inbox)) {
  console.error(`--inbox must be one of ${Object.keys(SHOPS).join(", ")}.`);
  process.exit(2);
}
// The memory inbox is lost with its process.
const kills = inbox === "memory" ? 0 : Number(values.kills ?? 100);
if (inbox === "memory" && Number(values.kills ?? 0) > 0) {
  console.log("memoryInbox loses its events when its process dies, so the process is not killed.");
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
  log: (line) => process.stderr.write(`${line}\n`),
});
await engine?.stop();
rmSync(folder, { recursive: true, force: true });

const rows: readonly (readonly [what: string, count: number])[] = [
  ["sent", found.sent],
  ["acknowledged", found.acknowledged],
  ["lost", found.lost],
  ["invented", found.invented],
  [`effects more than once, ${found.once}`, found.duplicated],
  ["kills", found.kills],
  ["deliveries, duplicates and retries included", found.deliveries],
];
console.log(`${inbox}, seed ${values.seed}, ${found.seconds} s`);
for (const [what, count] of rows) console.log(`${String(count).padStart(8)}  ${what}`);
const isKept =
  found.acknowledged === found.sent &&
  found.kills === kills &&
  found.lost + found.invented + found.duplicated === 0;
console.log(isKept ? "Nothing was lost or processed twice." : "FAILED.");
process.exit(isKept ? 0 : 1);
