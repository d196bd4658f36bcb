// Puts ten changes into the source, one at a time, and runs the tests of `npm test` that must notice each:
// npx node scripts/try-changes.ts [words of one change]. No file is written:
// `configs/changes.vitest.config.ts` changes the source while it is loaded.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A change of the source that breaks a promise. A test must notice it. */
export interface SourceChange {
  readonly part: "client" | "receiver" | "stores" | "sandbox" | "learning";
  /** What is true after it. */
  readonly what: string;
  /** What a user would see of it. */
  readonly harm: string;
  /** Under `src`. */
  readonly file: string;
  /** It occurs once in the file. */
  readonly from: string;
  readonly to: string;
  /** The tests of `npm test` that are run: paths, or the beginning of paths. */
  readonly tests: readonly string[];
}

export const CHANGES: readonly SourceChange[] = [
  {
    part: "client",
    what: "a create call is retried unless it was rejected",
    harm: "a second prompt after a timeout",
    file: "client/http/call-attempts.ts",
    from: 'return outcome === "not_sent" || (outcome === "rejected" && status === 429);',
    to: 'return outcome !== "rejected" || status === 429;',
    tests: ["test/client/http"],
  },
  {
    part: "client",
    what: "a response that is too large to be read is always `rejected`",
    harm: "a second prompt after a 503",
    file: "client/http/failures.ts",
    from: 'outcome: isRejectionStatus(status) ? "rejected" : "unknown",\n    status,\n    isPermanent: true,',
    to: 'outcome: "rejected",\n    status,\n    isPermanent: true,',
    tests: ["test/client/http/max-response-bytes.test.ts"],
  },
  {
    part: "receiver",
    what: "a delivery that could not be stored is acknowledged",
    harm: "a lost webhook",
    file: "webhooks/receiver/accept.ts",
    from: 'return { ...unavailable("cannot be stored now", error), ...about };',
    to: 'return { response: acknowledge({ kind: "accepted" } as Receipt), result: "accepted", ...about };',
    tests: ["test/webhooks/receiver"],
  },
  {
    part: "receiver",
    what: "the offset of a signed time is added, not subtracted",
    harm: "an event counts as too old, or as new",
    file: "webhooks/receiver/retention.ts",
    from: 'const offset = sign === "+" ? size : -size;',
    to: 'const offset = sign === "+" ? -size : size;',
    tests: ["test/webhooks/receiver/retention"],
  },
  {
    part: "stores",
    what: "the owner of an attempt is not checked",
    harm: "a process overwrites the attempt of another one",
    file: "idempotency/tables.ts",
    from: "= $key AND owner = $owner AND",
    to: "= $key AND $owner = $owner AND",
    tests: ["test/idempotency/sqlite/store.test.ts"],
  },
  {
    part: "stores",
    what: "an attempt in flight begins again",
    harm: "two prompts for one key",
    file: "idempotency/redis/script.ts",
    from: "if redis.call('EXISTS', record) == 1 then return found end",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a part of the source
    to: "if redis.call('EXISTS', record) == 1 and ${found(\"state\")} ~= 'in_flight' then return found end",
    tests: ["test/idempotency/redis/store.test.ts"],
  },
  {
    part: "sandbox",
    what: "204 counts as delivered",
    harm: "a wrong receiver looks right",
    file: "sandbox/deliveries/delivery-sender.ts",
    from: "if (result.status === 200) this.#finish",
    to: "if (result.status === 200 || result.status === 204) this.#finish",
    tests: ["test/sandbox/deliveries"],
  },
  {
    part: "sandbox",
    what: "a prompt lives twice as long",
    harm: "a shop is tested with wrong times",
    file: "sandbox/payments/sandbox-payments.ts",
    from: "sandboxState.clock.schedule(PROMPT_LIFETIME_MS,",
    to: "sandboxState.clock.schedule(2 * PROMPT_LIFETIME_MS,",
    tests: ["test/sandbox/payments"],
  },
  {
    part: "learning",
    what: "a count is replaced, not added",
    harm: "a profile forgets",
    file: "learn/observe/additions.ts",
    from: "else set(map, key, ((before as number) ?? 0) + value);",
    to: "else set(map, key, value);",
    tests: ["test/learn/merge.test.ts"],
  },
  {
    part: "learning",
    what: "the statuses in a failure are stored, too",
    harm: "a profile takes the words of an error for statuses of the service",
    file: "learn/observe/shape.ts",
    from: 'target.keepsValues && typeof value === "string"',
    to: 'typeof value === "string"',
    tests: ["test/learn/stored-values.test.ts"],
  },
];

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** The source of a file with a change. @throws {Error} if the source has moved on. */
export function sourceWith({ file, from, to, what }: SourceChange): string {
  const parts = readFileSync(`${ROOT}src/${file}`, "utf8").split(from);
  if (parts.length === 2) return parts.join(to);
  throw new Error(
    `src/${file} does not have once what the change ${JSON.stringify(what)} replaces.`,
  );
}

/** Runs the tests of a change. Returns what they said: `undefined` if at least one failed. */
function missedBy(change: SourceChange): string | undefined {
  const vitest = ["run", "--config", "scripts/configs/changes.vitest.config.ts", ...change.tests];
  const { stdout, stderr } = spawnSync("npx", ["vitest", ...vitest], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", MALIPO_CHANGE: change.what },
  });
  const failed = /^\s*Tests\s+(\d+) failed/m.exec(stdout);
  return failed === null ? stdout + stderr : undefined;
}

if (import.meta.main) {
  const words = process.argv.slice(2).join(" ");
  const chosen = CHANGES.filter(({ what }) => what.includes(words));
  let missed = 0;
  for (const change of chosen) {
    sourceWith(change);
    const output = missedBy(change);
    if (output !== undefined) missed++;
    console.log(`${output === undefined ? "noticed" : "MISSED "}  ${change.part}: ${change.what}`);
    if (output !== undefined) console.log(output.slice(-2_000));
  }
  console.log(`${chosen.length - missed} noticed, ${missed} missed`);
  process.exitCode = chosen.length > 0 && missed === 0 ? 0 : 1;
}
