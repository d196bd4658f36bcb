import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const SRC = fileURLToPath(new URL("../../../src", import.meta.url));
const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), "utf8") }));

interface Engine {
  /** What its documentation shows, of what is imported from it. */
  readonly imports: readonly string[];
  /** Names of its inside: methods, fields, scripts, keys, tables, columns. */
  readonly inside: readonly RegExp[];
}

const words = (...names: readonly string[]) => names.map((name) => new RegExp(`\\b${name}\\b`));

const ENGINES: Readonly<Record<string, Engine>> = {
  bullmq: {
    imports: [
      "DelayedError",
      // https://api.docs.bullmq.io/enums/v5.ErrorCode.html
      "ErrorCode",
      "Job",
      "JobsOptions",
      "Queue",
      "WaitingError",
      "Worker",
      "WorkerOptions",
    ],
    inside: [
      ...words(
        "getBackend",
        "createRedisBackend",
        "RedisQueueBackend",
        "IQueueBackend",
        "BackendFactory",
        "IRedisClient",
        "execCommand",
        "runCommand",
        "defineCommand",
        "toKey",
        "addJobToTransaction",
        "addStandardJob",
        "addDelayedJob",
        "moveToActive",
        "moveToFinished",
        "moveStalledJobsToWait",
        "moveToCompletedArgs",
        "moveToDelayedArgs",
        "nextJobFromJobData",
        "waitForJob",
        "lockManager",
        "blockingConnection",
        "fromJSON",
        "asJSON",
        "stc",
        "atm",
      ),
      /:(wait|active|delayed|failed|completed|prioritized|paused|stalled|marker|events|lock)\b/,
    ],
  },
};

const importsFrom = (engine: string, text: string): string[] =>
  [...text.matchAll(new RegExp(`import (?:type )?\\{([^}]*)\\} from "${engine}"`, "g"))].flatMap(
    ([, names = ""]) =>
      names
        .split(",")
        .map((name) =>
          name
            .replace(/^\s*type\s/, "")
            .replace(/\sas\s.*$/, "")
            .trim(),
        )
        .filter(Boolean),
  );

describe.each(Object.entries(ENGINES))("the sources use of %s", (engine, { imports, inside }) => {
  test("only what its documentation shows", () => {
    const used = sources.flatMap(({ path, text }) =>
      importsFrom(engine, text).map((name) => ({ path, name })),
    );
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter(({ name }) => !imports.includes(name))).toEqual([]);
    const classes = sources.filter(({ text }) =>
      importsFrom(engine, text).some((name) => new RegExp(`extends ${name}\\b`).test(text)),
    );
    expect(classes.map(({ path }) => path)).toEqual([]);
  });

  test("no name of its inside", () => {
    const found = sources
      .filter(({ path }) => path.includes(`inbox/${engine}/`))
      .flatMap(({ path, text }) =>
        inside.flatMap((name) => {
          const [match] = name.exec(text) ?? [];
          return match === undefined ? [] : [`${path}: ${match}`];
        }),
      );
    expect(found).toEqual([]);
  });

  test("no deep import", () => {
    const deep = sources.filter(({ text }) => text.includes(`from "${engine}/`));
    expect(deep.map(({ path }) => path)).toEqual([]);
  });
});
