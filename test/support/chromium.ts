import { spawnSync } from "node:child_process";
import { type Browser, chromium, type LaunchOptions } from "playwright-core";
import { type Engine, givenEngine } from "./engines/engine.ts";

// A page of the shell, which has no window, costs a third of one of the whole browser.
const FIND = "command -v chromium-headless-shell || command -v chromium";
const [executablePath] = spawnSync("sh", ["-c", FIND], { encoding: "utf8" }).stdout.split("\n");

/** Whether the tests that need a browser can run here. Prints a warning if they cannot. */
export const hasChromium: boolean = Boolean(executablePath);
if (!hasChromium) {
  process.stderr.write(
    "\n!!! NO CHROMIUM: the browser tests did not run. Install Debian's chromium.\n\n",
  );
}

const options: LaunchOptions = {
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
};

export const launchChromium = (): Promise<Browser> => chromium.launch(options);

/** Starts the Chromium that all test files of a run share. */
export async function serveChromium(): Promise<Engine> {
  const server = await chromium.launchServer(options);
  return { ...givenEngine(server.wsEndpoint()), stop: () => server.close() };
}
