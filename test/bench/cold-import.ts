import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { PEERS_FOLDER, peerVersion } from "./peers.ts";
import { median } from "./rounds.ts";
import type { Measured } from "./table.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PEERS = ["@octokit/webhooks-methods", "resend", "ky", "openai", "stripe"];

function milliseconds(name: string, cwd: string): number {
  const code = `const t = performance.now(); await import(${JSON.stringify(name)}); console.log(performance.now() - t);`;
  return Number(
    execFileSync(process.execPath, ["--input-type=module", "--eval", code], { cwd }).toString(),
  );
}

/** What the first import costs a process that has just begun. */
export function benchColdImport(rounds: number): Measured {
  const rows = [
    { label: "malipo/webhooks", module: "malipo/webhooks", cwd: ROOT },
    { label: "malipo", module: "malipo", cwd: ROOT },
    ...PEERS.map((name) => ({
      label: `${name} ${peerVersion(name)}`,
      module: name,
      cwd: PEERS_FOLDER,
    })),
  ];
  const taken = rows.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    rows.forEach(({ module, cwd }, index) => {
      taken[index]?.push(milliseconds(module, cwd));
    });
  }
  const millis = taken.map(median);
  const [webhooks = 0, malipo = 0] = millis;
  const of = (name: string) => millis[rows.findIndex(({ module }) => module === name)] ?? 0;
  const [openai, octokit] = [of("openai"), of("@octokit/webhooks-methods")];
  const ratio = webhooks / octokit;
  return {
    title: "Cold import",
    how: `A fresh process of Node that imports one module; medians of ${rounds} interleaved rounds.`,
    columns: ["import", "ms"],
    rows: rows.map(({ label }, index) => [label, (millis[index] ?? 0).toFixed(1)]),
    bars: rows.map(({ label }, index) => ({
      label,
      value: millis[index] ?? 0,
      text: `${(millis[index] ?? 0).toFixed(1)} ms`,
    })),
    goals: [
      {
        text: `malipo/webhooks at most 1.16 of octokit's, 5 ms where that takes 4.3: ${ratio.toFixed(2)}`,
        met: ratio <= 1.16,
      },
      {
        text: `malipo at most openai's: ${malipo.toFixed(1)} beside ${openai.toFixed(1)}`,
        met: malipo <= openai,
      },
    ],
  };
}
