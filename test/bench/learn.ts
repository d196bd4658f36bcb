import "./phone-metadata.ts";
import { performance } from "node:perf_hooks";
import { compareProfiles } from "../../src/profile/compare-profiles.ts";
import { CHECK, DIFF } from "../../src/profile/compare-shapes.ts";
import { EMPTY_PROFILE, type ServiceProfile } from "../../src/profile/profile-types.ts";
import { SERVICE_CHANGES } from "../sandbox/profile/changes.ts";
import { clientSteps } from "../sandbox/profile/client-steps.ts";
import { learnThroughProxy } from "../sandbox/profile/learn-through-proxy.ts";
import { compareWithSandbox, probeDialect } from "../sandbox/profile/probe-dialect.ts";
import {
  type Dialect,
  dialect,
  NEWEST_DIALECTS,
  REAL_DIALECTS,
  UNSEEN_DIALECTS,
  UNTUNED_DIALECTS,
} from "../support/dialects/index.ts";
import { FAULTS, type Faults, withFaults } from "../support/dialects/service-faults.ts";
import type { Measured } from "./table.ts";

/** How many probes may run at a time: with more, a slow machine would look like a slow service. */
const AT_ONCE = 4;

async function concurrently<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(run))));
  }
  return results;
}

async function agreement(service: Dialect, profile: ServiceProfile): Promise<number> {
  const { steps, wrong } = await compareWithSandbox(service, profile);
  if (process.env.MALIPO_BENCH_DETAILS !== undefined) {
    for (const one of wrong) console.log(`${service.name} ${one}`);
  }
  return 1 - wrong.length / steps;
}

/** Two probes of a service with one kind of faults. */
async function measure(service: Dialect, faults: Faults) {
  const [first, second] = await Promise.all([
    probeDialect(service, { prompt: true, faults }),
    probeDialect(service, { prompt: true, faults }),
  ]);
  return {
    profile: first,
    requests: Object.values(first.runs).reduce((sum, run) => sum + run.requests, 0),
    agreement: await agreement(withFaults(service, faults), first),
    alarms: compareProfiles(first, second, CHECK).length,
    differences: compareProfiles(first, second, DIFF).length,
  };
}

async function changesSeen(): Promise<number> {
  const known = await probeDialect(dialect("plain"), { prompt: true, faults: "none" });
  const seen = await concurrently(Object.values(SERVICE_CHANGES), async (change) => {
    const now = await probeDialect(change(dialect("plain")), { prompt: true, faults: "none" });
    return compareProfiles(known, now, CHECK).length > 0;
  });
  return seen.filter(Boolean).length;
}

const share = (value: number) => value.toFixed(3);
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

/** The share of steps in which the client does the right thing, with a profile and without one. */
async function clientShares(services: readonly (readonly [Dialect, ServiceProfile])[]) {
  let [steps, withProfile, without] = [0, 0, 0];
  for (const [service, profile] of services) {
    const [one, other] = [await clientSteps(service, profile), await clientSteps(service)];
    steps += one.steps;
    withProfile += one.wrong.length;
    without += other.wrong.length;
  }
  return { withProfile: 1 - withProfile / steps, without: 1 - without / steps };
}

/** How truly a learned sandbox responds, and whether two probes of one service are alike. */
export async function benchLearn(): Promise<Measured> {
  const began = performance.now();
  const services = [...REAL_DIALECTS, ...UNTUNED_DIALECTS, ...UNSEEN_DIALECTS, ...NEWEST_DIALECTS];
  const measured = await concurrently(services, async (service) => {
    const runs: Awaited<ReturnType<typeof measure>>[] = [];
    for (const faults of FAULTS) runs.push(await measure(service, faults));
    return { service, runs };
  });
  const rows: {
    name: string;
    probed: number[];
    proxied: number;
    alarms: number[];
    other: number;
  }[] = [];
  // One after another: the proxy reads a clock that the test moves.
  for (const { service, runs } of measured) {
    const [good] = runs as [(typeof runs)[number]];
    rows.push({
      name: service.name,
      probed: runs.map((one) => one.agreement),
      proxied: await agreement(service, await learnThroughProxy(service, good.profile)),
      alarms: runs.map(({ alarms }) => alarms),
      other: runs.filter(({ differences }) => differences > 0).length,
    });
  }
  const isNew = ({ name }: { name: string }) => NEWEST_DIALECTS.some((one) => one.name === name);
  const old = rows.filter((row) => !isNew(row));
  const probed = old.flatMap((row) => row.probed);
  const proxied = old.map((row) => row.proxied);
  const newProbed = mean(rows.filter(isNew).flatMap((row) => row.probed));
  const newProxied = mean(rows.filter(isNew).map((row) => row.proxied));
  const requests = measured.flatMap(({ runs }) => runs.map((one) => one.requests));
  const most = Math.max(...requests);
  const runs = rows.flatMap((row) => row.alarms);
  const unlike = rows.reduce((sum, { other }) => sum + other, 0);
  const quiet = runs.filter((alarms) => alarms === 0).length;
  const always200 = dialect("always-200");
  const client = await clientShares([
    ...measured.map(
      ({ service, runs: [one] }) => [service, one?.profile ?? EMPTY_PROFILE] as const,
    ),
    [always200, await probeDialect(always200, { prompt: true, faults: "none" })],
  ]);
  const changes = Object.keys(SERVICE_CHANGES).length;
  const seen = await changesSeen();
  return {
    title: "What a learned sandbox gets right",
    how: `${rows.length} dialects of real services, from their public documentation, each with three kinds of faults. Each step of one script runs against the service and against the sandbox: status, headers and shape. The probe has --write and --prompt. ${Math.round((performance.now() - began) / 1_000)} s.`,
    columns: ["dialect", ...FAULTS.map((one) => `probe, faults: ${one}`), "proxy", "false alarms"],
    rows: rows.map(({ name, probed: shares, proxied: proxy, alarms }) => [
      name,
      ...shares.map(share),
      share(proxy),
      alarms.join(" "),
    ]),
    bars: rows.map(({ name, probed: [one = 0] }) => ({
      label: name,
      value: 1 - one,
      text: share(one),
    })),
    goals: [
      { text: `after a probe at least 0.95: ${share(mean(probed))}`, met: mean(probed) >= 0.95 },
      {
        text: `in the worst at least 0.90: ${share(Math.min(...probed))}`,
        met: Math.min(...probed) >= 0.9,
      },
      { text: `with the proxy at least 0.98: ${share(mean(proxied))}`, met: mean(proxied) >= 0.98 },
      {
        text: `the five newest after a probe at least 0.95 (first run: 0.932): ${share(newProbed)}`,
        met: newProbed >= 0.95,
      },
      {
        text: `the five newest with the proxy at least 0.98 (first run: 0.936): ${share(newProxied)}`,
        met: newProxied >= 0.98,
      },
      {
        text: `the client with a profile is right in every step: ${share(client.withProfile)}`,
        met: client.withProfile === 1,
      },
      {
        text: `the client without a profile is right in at least 0.97: ${share(client.without)}`,
        met: client.without >= 0.97,
      },
      { text: `a probe asks at most 60 requests: ${most}`, met: most <= 60 },
      { text: `no false alarm: ${quiet} of ${runs.length} runs`, met: quiet === runs.length },
      { text: `two probes alike: ${runs.length - unlike} of ${runs.length}`, met: unlike === 0 },
      { text: `learn check sees every change: ${seen} of ${changes}`, met: seen === changes },
    ],
  };
}
