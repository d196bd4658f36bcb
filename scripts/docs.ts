// Builds the manual, and says how far it is.
import { spawnSync } from "node:child_process";

const STEPS: readonly (readonly [what: string, command: string])[] = [
  ["the API reference", "typedoc"],
  ["the pages", "vitepress build docs"],
  ["the check of every link", "node scripts/check-links.ts"],
];

for (const [index, [what, command]] of STEPS.entries()) {
  console.error(`Manual, step ${index + 1} of ${STEPS.length}: ${what}`);
  const { status } = spawnSync(command, { shell: true, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
