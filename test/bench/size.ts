import { type MeasuredSize, measureSizes } from "../../scripts/check-size.ts";
import { firstLoadKb } from "../../scripts/first-load.ts";
import { PEERS_FOLDER, peerVersion } from "./peers.ts";
import type { Measured } from "./table.ts";

const versioned = (name: string) => `${name} ${peerVersion(name)}`;

/** What a peer exports that a user imports, by its package. */
const PEERS: Readonly<Record<string, string>> = {
  ky: "default",
  stripe: "default",
  resend: "Resend",
  openai: "default",
  standardwebhooks: "Webhook",
  svix: "Webhook",
};

const imported = (name: string, from: string) =>
  `import { ${name} as used } from "${from}"; console.log(used);`;

async function peerSizes(): Promise<[label: string, kB: number][]> {
  const sizes: [string, number][] = [];
  const bundler = "esbuild with splitting";
  for (const [name, what] of Object.entries(PEERS)) {
    const kB = await firstLoadKb(bundler, PEERS_FOLDER, imported(what, name));
    sizes.push([`${versioned(name)}, ${bundler}`, kB]);
  }
  const octokit = "@octokit/webhooks-methods";
  const code = imported("verify", octokit);
  const kB = await firstLoadKb("esbuild for Node.js", PEERS_FOLDER, code);
  return [...sizes, [`${versioned(octokit)}, verify, esbuild for Node.js`, kB]];
}

/** What is loaded before the first line of a script runs, compressed. */
export async function benchSize(): Promise<Measured> {
  const ours = await measureSizes();
  const label = ({ name, bundler }: MeasuredSize) => `${name}, ${bundler}`;
  const all = [...ours.map((one) => [label(one), one.kB] as const), ...(await peerSizes())];
  return {
    title: "Size",
    how: "What is loaded before the first line runs, as installed from the tarball: the bundle with all that it imports statically, minified, gzip -9.",
    columns: ["first load", "kB"],
    rows: all.map(([name, kB]) => [name, kB.toFixed(2)]),
    bars: all.map(([name, kB]) => ({ label: name, value: kB, text: `${kB.toFixed(1)} kB` })),
    goals: ours.map((one) => ({
      text: `${label(one)} at most ${one.goal} kB: ${one.kB.toFixed(2)}`,
      met: one.kB <= one.goal,
    })),
  };
}
