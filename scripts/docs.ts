// Builds the manual and prints how far it is. On a terminal, or with `--open`, it then serves the manual
// until Ctrl-C: without a server, its pages have no style.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { openInBrowser } from "../src/cli/terminal/browser.ts";

const STEPS: readonly (readonly [what: string, command: string])[] = [
  ["the API reference", "typedoc --options scripts/configs/typedoc.config.mjs"],
  ["the pages", "vitepress build docs"],
  ["the check of every link", "node scripts/check-links.ts"],
];

for (const [index, [what, command]] of STEPS.entries()) {
  console.error(`Manual, step ${index + 1} of ${STEPS.length}: ${what}`);
  const { status } = spawnSync(command, { shell: true, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

const isOpened = process.argv.includes("--open");
if (!isOpened && !process.stdout.isTTY) {
  console.error("The manual is built. To read it: npm run docs -- --open");
  process.exit();
}

const preview = spawn("vitepress preview docs", {
  shell: true,
  stdio: ["inherit", "pipe", "inherit"],
});
preview.stdout.on("data", (data: Buffer) => {
  const [, address] = /(http:\/\/localhost:\d+\S*)/.exec(data.toString()) ?? [];
  if (address === undefined) return;
  console.error(`The manual is at ${address} until you press Ctrl-C.`);
  if (isOpened) openInBrowser(address, process.env);
});
await once(preview, "exit");
