// Installs the shop on Next.js in a folder of its own, as a user does: Next, the packed tarball, and a
// copy of the example. Next is no dependency of this repository: it weighs 370 MB.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const npm = (args: readonly string[], cwd: string) =>
  execFileSync("npm", [...args, "--no-audit", "--no-fund", "--silent"], { cwd, stdio: "inherit" });

/** @returns The command line of Next in the folder, for this Node.js. */
export function installNextShop(folder: string): (...args: string[]) => string[] {
  mkdirSync(folder, { recursive: true });
  copyFileSync(here("../../test/runtimes/next/package.json"), join(folder, "package.json"));
  npm(["pack", "--ignore-scripts", "--pack-destination", resolve(folder)], here("../.."));
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  npm(["install", `./${tarball}`], folder);
  cpSync(here("../../examples/next"), folder, { recursive: true });
  return (...args) => [join(folder, "node_modules/next/dist/bin/next"), ...args];
}
