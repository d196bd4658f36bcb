import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

interface LockFile {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly version?: string;
        readonly integrity?: string;
        readonly resolved?: string;
        readonly link?: boolean;
        readonly optionalDependencies?: Readonly<Record<string, string>>;
      }
    >
  >;
}

/**
 * workerd on other platforms than Linux: the registry that the lock was made with does not have this
 * version of them. It is only run by tests, on Linux.
 */
const UNKNOWN = /@cloudflare\/workerd-(?:darwin|windows)-/;

const FILES = globSync("**/package-lock.json", {
  exclude: ["**/node_modules/**", "test/docs/bundles/**"],
});

test("there are the lock files of the project, of the runtimes, of the benchmarks and of three examples", () => {
  expect(FILES).toHaveLength(6);
});

describe.each(FILES)("%s", (file) => {
  const { packages }: LockFile = JSON.parse(readFileSync(file, "utf8"));
  const entries = Object.entries(packages).filter(([path, { link }]) => path !== "" && !link);

  test("has the integrity of each package, so that a tampered one is not installed", () => {
    const without = entries.filter(([, { integrity = "" }]) => !/^sha512-/.test(integrity));
    expect(without.map(([path]) => path).filter((path) => !UNKNOWN.test(path))).toEqual([]);
  });

  test("has every optional package of every platform", () => {
    const names = new Set(entries.map(([path]) => path.split("node_modules/").at(-1)));
    const missing = entries.flatMap(([, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !names.has(name)),
    );
    expect(missing).toEqual([]);
  });

  test("names no registry host", () => {
    expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});
