import { spawn } from "node:child_process";
import type { Io } from "../io.ts";

/** The program that opens an address, by platform. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Opens an address in the browser, if there is one. @param env - Its PATH has the program. */
export function openInBrowser(address: string, env: Io["env"]): void {
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const opener = spawn(program, [...args, address], { stdio: "ignore", detached: true, env });
  opener.on("error", () => {});
  opener.unref();
}
