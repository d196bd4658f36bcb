import { spawnSync } from "node:child_process";
import { type Browser, chromium } from "playwright-core";

const [executablePath] = spawnSync("sh", ["-c", "command -v chromium"], {
  encoding: "utf8",
}).stdout.split("\n");

/** Whether the tests that need a browser can run here. Prints a warning if they cannot. */
export const hasChromium: boolean = Boolean(executablePath);
if (!hasChromium) {
  process.stderr.write(
    "\n!!! NO CHROMIUM: the browser tests did not run. Install Debian's chromium.\n\n",
  );
}

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: executablePath as string,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
