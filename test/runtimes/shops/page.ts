import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** A page of the manual that takes a new user from an empty folder to a shop. */
export interface ShopPage {
  /** The blocks of commands, as they are printed. */
  readonly commands: readonly string[];
  /** The files that the page prints, by their names. */
  readonly files: ReadonlyMap<string, string>;
}

export function readShopPage(path: string): ShopPage {
  const text = readFileSync(path, "utf8");
  const commands = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
  const named = text.matchAll(/^### `(.+)`\n[\s\S]*?^```\w+\n([\s\S]*?)^```$/gm);
  return { commands, files: new Map([...named].map(([, name = "", file = ""]) => [name, file])) };
}

/** Runs commands in a shell, with this Node.js. */
export function shell(command: string, cwd: string): void {
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
  execFileSync("sh", ["-ec", command], { cwd, stdio: "inherit", env: { ...process.env, PATH } });
}

/** Does what the page says, with the packed tarball of `dist` as it is now. Gives the folder. */
export function followPage({ commands, files }: ShopPage, parent: string): string {
  const [install = ""] = commands;
  shell(`npm pack --ignore-scripts --silent --pack-destination ${parent}`, ".");
  const tarball = readdirSync(parent).find((name) => name.endsWith(".tgz")) ?? "";
  shell(install.replace("npm install malipo ", `npm install ${join(parent, tarball)} `), parent);
  const folder = join(parent, "shop");
  for (const [name, text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  // The test passes the keys by the environment, which wins.
  writeFileSync(join(folder, ".env"), "");
  return folder;
}
