// Installs the shop on Next.js in a separate folder, as a user does: Next, the packed tarball, and a
// copy of the example. Next is not a dependency of this repository: it weighs 370 MB.
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const PACKAGES = [
  "next@16.4.6",
  "react@19.3.1",
  "react-dom@19.3.1",
  "typescript@6.0.3",
  "@types/node@24.19.2",
  "@types/react@19.3.0",
];

const npm = (args: readonly string[], cwd: string) =>
  execFileSync("npm", [...args, "--silent"], { cwd, stdio: ["ignore", "ignore", "inherit"] });

/** @returns The command line of Next in the folder, for this Node.js. */
export function installNextShop(folder: string): (...args: string[]) => string[] {
  cpSync(here("../../examples/next"), folder, { recursive: true });
  npm(["pack", "--ignore-scripts", "--pack-destination", resolve(folder)], here("../.."));
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  npm(["install", "--no-audit", "--no-fund", `./${tarball}`, ...PACKAGES], folder);
  return (...args) => [join(folder, "node_modules/next/dist/bin/next"), ...args];
}
