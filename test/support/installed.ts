import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A user's folder with the packed tarball installed. */
export interface Installed {
  readonly folder: string;
  /** Writes a file into the folder, runs it with this Node.js and returns what it printed. */
  run(name: string, text: string): string;
  /** Writes a file into the folder and returns its path. */
  write(name: string, text: string): string;
  remove(): void;
}

const npm = (args: string[], cwd: string): string =>
  execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** Packs `dist` as it is now, and installs the tarball as a user would. */
export function installPacked(...others: string[]): Installed {
  const folder = mkdtempSync(join(tmpdir(), "malipo-installed-"));
  npm(["pack", "--ignore-scripts", "--pack-destination", folder], ROOT);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "shop", version: "1.0.0", private: true }),
  );
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  npm(["install", "--no-audit", "--no-fund", `./${tarball}`, ...others], folder);
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  return {
    folder,
    write,
    run: (name, text) =>
      execFileSync(process.execPath, [write(name, text)], { cwd: folder, encoding: "utf8" }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
