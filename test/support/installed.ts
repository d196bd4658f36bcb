import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A folder of a user's, with the packed tarball installed in it and nothing else. */
export interface Installed {
  readonly folder: string;
  /** What the tarball ships. */
  readonly files: readonly string[];
  readonly unpackedBytes: number;
  /** Writes a file into the folder and runs it with this Node; gives what it printed. */
  run(name: string, text: string): string;
  write(name: string, text: string): string;
  remove(): void;
}

const npm = (args: string[], cwd: string): string =>
  execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** Packs what `dist` holds now, and installs it as a user would. */
export function installPacked(...besides: string[]): Installed {
  const folder = mkdtempSync(join(tmpdir(), "malipo-installed-"));
  const [packed] = JSON.parse(
    npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], ROOT),
  );
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "shop", version: "1.0.0", private: true }),
  );
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  npm(["install", "--no-audit", "--no-fund", `./${tarball}`, ...besides], folder);
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  return {
    folder,
    files: packed.files.map(({ path }: { path: string }) => path),
    unpackedBytes: packed.unpackedSize,
    write,
    run: (name, text) =>
      execFileSync(process.execPath, [write(name, text)], { cwd: folder, encoding: "utf8" }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
