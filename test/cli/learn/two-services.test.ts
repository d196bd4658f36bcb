import { readFileSync, rmSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { EXIT } from "../../../src/cli/exit-codes.ts";
import { compareProfiles, isOfTwoServices } from "../../../src/profile/compare-profiles.ts";
import { MERGE } from "../../../src/profile/compare-shapes.ts";
import { parseProfile } from "../../../src/profile/parse-profile.ts";
import type { ServiceProfile } from "../../../src/profile/profile-types.ts";
import { learn } from "../../sandbox/profile/learn.ts";
import {
  createDialectService,
  type Dialect,
  FURTHER_DIALECTS,
  LEARNABLE_DIALECTS,
} from "../../support/dialects/index.ts";
import { malipo } from "../in-process.ts";
import { newFolder } from "./services.ts";

/** `busy` takes long to probe, and speaks as `scopeless` does. */
const SPOKEN = [...LEARNABLE_DIALECTS, ...FURTHER_DIALECTS].filter(({ name }) => name !== "busy");

async function probe(dialect: Dialect, ...flags: string[]): Promise<ServiceProfile> {
  const service = createDialectService(dialect);
  const { baseUrl, close } = await service.serve();
  const { folder, path } = newFolder(service.keys);
  const args = ["--base-url", baseUrl, "--key-file", "sandbox", "--public-key-file", "public"];
  const { code } = await malipo(["probe", ...args, ...flags], { cwd: folder });
  expect(code).toBe(EXIT.ok);
  const profile = parseProfile(JSON.parse(readFileSync(path("malipo.service.json"), "utf8")));
  rmSync(folder, { recursive: true });
  await close();
  return profile;
}

/** Every `learn` has one name of its run. */
let count = 0;
const renamed = (profile: ServiceProfile): ServiceProfile =>
  JSON.parse(
    JSON.stringify(profile).replaceAll("0123abcd", `0000000${(++count).toString(16)}`.slice(-8)),
  );

interface Runs {
  readonly name: string;
  readonly reads: ServiceProfile;
  readonly writes: ServiceProfile;
  readonly observed: ServiceProfile;
}

const runs: Runs[] = [];
beforeAll(async () => {
  for (const dialect of SPOKEN) {
    const [reads, writes, observed] = [
      await probe(dialect),
      await probe(dialect, "--write"),
      renamed(await learn(dialect)),
    ];
    runs.push({ name: dialect.name, reads, writes, observed });
  }
});

const describePair = (a: ServiceProfile, b: ServiceProfile) => ({
  isOfTwo: isOfTwoServices(a, b),
  differences: compareProfiles(a, b, MERGE),
});

/** They differ in a few statuses only, as a service does that changed. */
const ALIKE = "plain + scopeless";

describe("two profiles", () => {
  test("are of one service: probes with and without --write, and an observer", () => {
    const flagged = runs.flatMap(({ name, reads, writes, observed }) =>
      [describePair(reads, writes), describePair(reads, observed), describePair(writes, observed)]
        .filter(({ isOfTwo }) => isOfTwo)
        .map((pair) => ({ name, ...pair })),
    );
    expect(flagged).toEqual([]);
  });

  test.each(["reads", "writes", "observed"] as const)("are of two services: %s", (kind) => {
    const missed = runs.flatMap((a, index) =>
      runs
        .slice(index + 1)
        .map((b) => ({ pair: `${a.name} + ${b.name}`, ...describePair(a[kind], b[kind]) }))
        .filter(({ isOfTwo, pair }) => !isOfTwo && pair !== ALIKE)
        .map(({ pair, differences }) => `${pair}: ${differences.length}`),
    );
    expect(missed).toEqual([]);
  });
});
