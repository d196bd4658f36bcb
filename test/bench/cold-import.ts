import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { PEERS_FOLDER, peerVersion } from "./peers.ts";
import { median } from "./rounds.ts";
import { countSteps } from "./steps.ts";
import { atMost, type Goal, type Measured } from "./table.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PEERS = ["@octokit/webhooks-methods", "resend", "ky", "openai", "stripe"];

function milliseconds(name: string, cwd: string): number {
  const code = `const t = performance.now(); await import(${JSON.stringify(name)}); console.log(performance.now() - t);`;
  return Number(
    execFileSync(process.execPath, ["--input-type=module", "--eval", code], { cwd }).toString(),
  );
}

/** In milliseconds. */
interface ImportTimes {
  readonly webhooks: number;
  readonly malipo: number;
  readonly octokit: number;
  readonly ky: number;
  readonly openai: number;
}

export const importGoals = ({ webhooks, malipo, octokit, ky, openai }: ImportTimes): Goal[] => [
  atMost("malipo/webhooks, beside octokit's,", 1.5, webhooks / octokit),
  atMost("malipo, beside ky,", 1.3, malipo / ky),
  atMost("malipo, beside openai,", 0.6, malipo / openai),
];

/** The time of the first import in a new process. */
export function benchColdImport(rounds: number): Measured {
  const rows = [
    { label: "malipo/webhooks", module: "malipo/webhooks", cwd: ROOT },
    { label: "malipo", module: "malipo", cwd: ROOT },
    {
      label: "node:crypto, which both checks of a signature need",
      module: "node:crypto",
      cwd: ROOT,
    },
    ...PEERS.map((name) => ({
      label: `${name} ${peerVersion(name)}`,
      module: name,
      cwd: PEERS_FOLDER,
    })),
  ];
  const taken = rows.map((): number[] => []);
  const steps = countSteps("import", rounds * rows.length);
  for (let round = 0; round < rounds; round++) {
    rows.forEach(({ module, cwd }, index) => {
      taken[index]?.push(milliseconds(module, cwd));
      steps.step();
    });
  }
  steps.end();
  const millis = taken.map(median);
  const [webhooks = 0, malipo = 0] = millis;
  const millisOf = (name: string) => millis[rows.findIndex(({ module }) => module === name)] ?? 0;
  return {
    title: "Cold import",
    how: `A new Node.js process imports one module; medians of ${rounds} interleaved rounds.`,
    columns: ["import", "ms"],
    rows: rows.map(({ label }, index) => [label, (millis[index] ?? 0).toFixed(1)]),
    bars: rows.map(({ label }, index) => ({
      label,
      value: millis[index] ?? 0,
      text: `${(millis[index] ?? 0).toFixed(1)} ms`,
    })),
    goals: importGoals({
      webhooks,
      malipo,
      octokit: millisOf("@octokit/webhooks-methods"),
      ky: millisOf("ky"),
      openai: millisOf("openai"),
    }),
  };
}
