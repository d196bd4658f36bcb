// Packs what is published: `npx node scripts/pack-release.ts <folder>`. The address of the repository is
// known only in the job that packs, so this step writes it: npm rejects provenance without `repository`
// (https://docs.npmjs.com/generating-provenance-statements), and a relative link is dead on the page of
// the package.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { env } from "node:process";

/** The address of the repository, and which commit of it is packed. */
export interface Source {
  /** The address of the repository, without a slash at the end. */
  readonly url: string;
  readonly commit: string;
}

/**
 * Makes the relative links and images of a page absolute, but not those that `isPacked` finds. An image
 * may be an HTML tag, too.
 *
 * @param page - The path of the page in the repository.
 */
export function absoluteLinks(
  markdown: string,
  { url, commit }: Source,
  page: string,
  isPacked: (path: string) => boolean = () => false,
): string {
  const absolute = (target: string, view: "blob" | "raw") => {
    const path = join(dirname(page), target);
    return isPacked(path.replace(/#.*/, "")) ? target : `${url}/${view}/${commit}/${path}`;
  };
  return markdown
    .replace(
      /(!?)(\[(?:[^\]\\]|\\.)*\]\()(?!#|[a-z]+:)([^)\s]+)\)/g,
      (_, image: string, text: string, target: string) =>
        `${image}${text}${absolute(target, image === "" ? "blob" : "raw")})`,
    )
    .replace(
      /(<img\s[^>]*?\bsrc=")(?![a-z]+:)([^"]+)"/g,
      (_, tag: string, target: string) => `${tag}${absolute(target, "raw")}"`,
    );
}

/** The manifest with what the page of the package links to. */
export function withRepository(manifest: object, { url }: Source): object {
  return {
    ...manifest,
    homepage: `${url}#readme`,
    bugs: { url: `${url}/issues` },
    repository: { type: "git", url: `git+${url}.git` },
  };
}

/** @throws {Error} If a variable of the job is missing. */
function sourceOfJob(): Source {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_SHA: commit } = env;
  if (!server || !name || !commit) {
    throw new Error(
      "GITHUB_SERVER_URL, GITHUB_REPOSITORY and GITHUB_SHA must be set: they say where the repository is.",
    );
  }
  return { url: `${server}/${name}`, commit };
}

function npmPack(cwd: string, destination: string): string {
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", destination];
  const printed = JSON.parse(execFileSync("npm", args, { cwd, encoding: "utf8" }));
  const [{ filename }] = Object.values<{ filename: string }>(printed) as [{ filename: string }];
  return join(destination, filename);
}

/** Packs `dist` unchanged, with the addresses of the source. Returns the path of the tarball. */
export function packRelease(destination: string, source: Source): string {
  const work = mkdtempSync(join(tmpdir(), "malipo-release-"));
  try {
    execFileSync("tar", ["-xzf", npmPack(".", work), "-C", work]);
    const edit = (name: string, change: (text: string) => string) => {
      const path = join(work, "package", name);
      writeFileSync(path, change(readFileSync(path, "utf8")));
    };
    // npm shows the README on a page of its site, the other pages are read in the folder.
    edit("README.md", (text) => absoluteLinks(text, source, "README.md"));
    const pages = globSync(["SECURITY.md", "docs/**/*.md"], { cwd: join(work, "package") });
    for (const page of pages) {
      const isPacked = (path: string) => existsSync(join(work, "package", path));
      edit(page, (text) => absoluteLinks(text, source, page, isPacked));
    }
    edit("package.json", (text) =>
      JSON.stringify(withRepository(JSON.parse(text), source), undefined, 2),
    );
    mkdirSync(destination, { recursive: true });
    return npmPack(join(work, "package"), resolve(destination));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const [destination = "."] = process.argv.slice(2);
  console.log(packRelease(destination, sourceOfJob()));
}
