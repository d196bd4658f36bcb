// Posts signed events to a receiver that is killed at random, and counts what happened to them:
// node test/stress/inboxes/main.ts --inbox sqlite --events 20000 --kills 100 [--mode drain|sweep|versions] [--engine-faults] [--seed 1]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startPostgres } from "../../support/engines/postgres.ts";
import { startRedis } from "../../support/engines/redis.ts";
import { faultsOf } from "./engine-faults.ts";
import { type InboxName, SHOPS } from "./inboxes.ts";
import { MODES, type Mode } from "./modes.ts";
import { failuresOf, reportOf } from "./report.ts";
import { SABOTAGES, type Sabotage } from "./sabotage.ts";
import { runSoak } from "./soak.ts";

const { values } = parseArgs({
  options: {
    inbox: { type: "string", default: "sqlite" },
    events: { type: "string", default: "20000" },
    kills: { type: "string" },
    // "drain": processes that live two seconds process the events. "sweep": a third of the webhooks
    // never comes, and the shop reads their payments. "versions": versions that know other kinds of events
    // take turns.
    mode: { type: "string", default: "start" },
    seed: { type: "string", default: "1" },
    // The engine is killed, hangs and loses its connections; a SQLite file is locked.
    "engine-faults": { type: "boolean", default: false },
    // A receiver that breaks a promise: the soak must fail.
    sabotage: { type: "string" },
    // Short leases, and retries without a wait: for a quick run.
    "lease-ms": { type: "string" },
    // How long nothing happens until the events without effect count as lost. The default is long
    // enough for every lease to expire and every retry to come.
    "idle-ms": { type: "string" },
  },
});

function stopWith(message: string): never {
  console.error(message);
  process.exit(2);
}

const inbox = values.inbox as InboxName;
const mode = values.mode as Mode;
const sabotage = values.sabotage as Sabotage | undefined;
const leaseMs = values["lease-ms"] === undefined ? undefined : Number(values["lease-ms"]);
if (!Object.hasOwn(SHOPS, inbox))
  stopWith(`--inbox must be one of ${Object.keys(SHOPS).join(", ")}.`);
if (!MODES.includes(mode)) stopWith(`--mode must be one of ${MODES.join(", ")}.`);
if (sabotage !== undefined && !SABOTAGES.includes(sabotage)) {
  stopWith(`--sabotage must be one of ${SABOTAGES.join(", ")}.`);
}
if (mode === "versions" && inbox === "memory") {
  stopWith("--mode versions: memoryInbox ends with its version.");
}
const withFaults = values["engine-faults"];
if (withFaults && inbox === "memory") stopWith("--engine-faults: memoryInbox has no engine.");
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
if (withFaults && engine?.restarts === false) {
  stopWith("--engine-faults needs an engine that it can kill: unset REDIS_URL and DATABASE_URL.");
}
const folder = mkdtempSync(join(tmpdir(), "malipo-soak-"));
const place = {
  store: engine?.url ?? join(folder, "inbox.db"),
  queue: `malipo-soak-${process.pid}`,
  ledger: join(folder, "ledger.db"),
  leaseMs,
};
const asked = { inbox, mode, events: Number(values.events), kills, seed: Number(values.seed) };
const found = await runSoak({
  ...asked,
  place,
  program: fileURLToPath(new URL("./shop.ts", import.meta.url)),
  faults: withFaults ? faultsOf(inbox, place, engine) : [],
  sabotage,
  idleMs: Number(values["idle-ms"] ?? (leaseMs === undefined ? 400_000 : 60_000)),
  output: process.stderr,
});
await engine?.stop();
rmSync(folder, { recursive: true, force: true });

console.log(reportOf(asked, found));
const failures = failuresOf(asked, found);
console.log(
  failures.length === 0 ? "Nothing was lost or processed twice." : `FAILED. ${failures.join(" ")}`,
);
process.exit(failures.length === 0 ? 0 : 1);
