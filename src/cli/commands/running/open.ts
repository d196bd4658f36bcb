import { spawn } from "node:child_process";
import type { Input } from "../../command.ts";
import { EXIT } from "../../exit-codes.ts";
import { findSandbox } from "../../sandbox/find-sandbox.ts";
import { querySandbox } from "../../sandbox/running-sandbox.ts";
import { printResult } from "../../terminal/output.ts";

/** The program that opens an address, by platform. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
  linux: ["xdg-open"],
};

export async function run({ values, json }: Input): Promise<number> {
  const origin = await findSandbox(values);
  // Says that no sandbox runs there, before a browser shows an empty page.
  await querySandbox(origin, "/clock");
  const page = `${origin}/`;
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const opener = spawn(program, [...args, page], { stdio: "ignore", detached: true });
  // Where there is no browser, the address is what the user needs.
  opener.on("error", () => {});
  opener.unref();
  printResult(json, { page }, () => `The page of the sandbox: ${page}`);
  return EXIT.ok;
}
