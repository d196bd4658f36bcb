import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** The page of the shops: its first steps, and the section of a framework. */
export function readShopPage(framework: string): string {
  const [first = "", ...sections] = readFileSync("docs/guides/shop.md", "utf8").split(/^### /m);
  return first + sections.find((one) => one.toLowerCase().startsWith(framework));
}

/** The commands that the manual prints for a shop: its first steps, then those of a framework. */
export const readShopCommands = (framework: string): readonly string[] =>
  [...readShopPage(framework).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);

/** Runs commands in a shell, with this Node.js. */
export function shell(command: string, cwd: string): void {
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
  execFileSync("sh", ["-ec", command], { cwd, stdio: "inherit", env: { ...process.env, PATH } });
}

/** Does what the pages say, with the packed tarball of `dist`. Returns the folder. */
export function followPages(commands: readonly string[], parent: string): string {
  const [start = "", , , install = ""] = commands;
  shell(`npm pack --ignore-scripts --silent --pack-destination ${parent}`, ".");
  const tarball = readdirSync(parent).find((name) => name.endsWith(".tgz")) ?? "";
  shell(start.replace("npm install malipo", `npm install ${join(parent, tarball)}`), parent);
  const folder = join(parent, "shop");
  shell(install, folder);
  // The test passes the keys by the environment, which wins.
  writeFileSync(join(folder, ".env"), "");
  return folder;
}
