import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { absoluteLinks } from "../../scripts/pack-release.ts";

const work = mkdtempSync(join(tmpdir(), "malipo-pack-release-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const REPOSITORY = "https://code.example/shop/malipo";
const COMMIT = "0123456789012345678901234567890123456789";

/** The commands of the step of the release job that packs, as the workflow has them. */
function packStep(): string {
  const [, block = ""] =
    /- run: \|\n((?: {10}.*\n)+)/.exec(readFileSync(".github/workflows/release.yml", "utf8")) ?? [];
  return block.replaceAll(/^ {10}/gm, "");
}

describe("the step of the release job that packs", () => {
  const file = (name: string) => join(work, "installed", "node_modules", "malipo", name);
  const json = (name: string) => JSON.parse(readFileSync(file(name), "utf8"));
  let printed: string;
  beforeAll(() => {
    printed = execFileSync("bash", ["-euo", "pipefail", "-c", `exec 2>&1\n${packStep()}`], {
      encoding: "utf8",
      env: {
        ...process.env,
        RUNNER_TEMP: work,
        GITHUB_SERVER_URL: "https://code.example",
        GITHUB_REPOSITORY: "shop/malipo",
        GITHUB_SHA: COMMIT,
      },
    });
  }, 120_000);

  test("writes the address of the repository, which npm requires for provenance", () => {
    expect(json("package.json")).toMatchObject({
      repository: { type: "git", url: `git+${REPOSITORY}.git` },
      homepage: `${REPOSITORY}#readme`,
      bugs: { url: `${REPOSITORY}/issues` },
    });
  });

  test("leaves no relative link in the README", () => {
    const readme = readFileSync(file("README.md"), "utf8");
    const targets = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);
    expect(targets.length).toBeGreaterThan(20);
    expect(targets.filter((target) => !/^(?:https:|#)/.test(target))).toEqual([]);
    expect(targets).toContain(`${REPOSITORY}/blob/${COMMIT}/docs/money-safety.md`);
    expect(targets).toContain(`${REPOSITORY}/raw/${COMMIT}/docs/img/sandbox-light.png`);
  });

  test("leaves no dead link in the manual of the package", () => {
    const root = join(work, "installed", "node_modules", "malipo");
    const pages = globSync("docs/**/*.md", { cwd: root });
    expect(pages.length).toBeGreaterThan(15);
    const links = pages.flatMap((page) =>
      [...readFileSync(join(root, page), "utf8").matchAll(/\]\(([^)\s]+)\)/g)].map(
        ([, target = ""]) => ({ page, target }),
      ),
    );
    const isDead = ({ page, target }: (typeof links)[number]) =>
      !/^(?:[a-z]+:|#)/.test(target) &&
      !existsSync(join(root, dirname(page), target.replace(/#.*/, "")));
    expect(links.filter(isDead)).toEqual([]);
    const targets = links.map(({ target }) => target);
    expect(targets).toContain(`${REPOSITORY}/blob/${COMMIT}/docs/cli.md`);
    expect(targets).toContain("money-safety.md");
  });

  test("packs a bill of materials that names each bundled package and its version", () => {
    const { bomFormat, components } = json("dist/sbom.cdx.json");
    expect(bomFormat).toBe("CycloneDX");
    const installed = (name: string) =>
      JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version;
    expect(
      components.map(({ name, version }: { name: string; version: string }) => [name, version]),
    ).toEqual(["@noble/hashes", "ky", "zod"].map((name) => [name, installed(name)]));
  });

  test("packs what npm would publish", () => {
    expect(printed).toContain("+ malipo@");
  });
});

test("links within a page and absolute links stay unchanged", () => {
  const source = { url: REPOSITORY, commit: COMMIT };
  const page = "[a](#part), [b](https://x.example/y), [c](mailto:a@b.example)";
  expect(absoluteLinks(page, source, "README.md")).toBe(page);
});

test("a release turns every changeset into a sentence of the CHANGELOG", () => {
  const folder = join(work, "version");
  cpSync(".changeset", join(folder, ".changeset"), { recursive: true });
  const { name, version } = JSON.parse(readFileSync("package.json", "utf8"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version }));
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder, stdio: "ignore" });
  run("git", "init", "--quiet", "--initial-branch=main");
  run("git", "add", ".");
  run(
    "git",
    "-c",
    "user.name=malipo",
    "-c",
    "user.email=malipo@shop.example",
    "commit",
    "-qm",
    "x",
  );
  run(process.execPath, join(process.cwd(), "node_modules/@changesets/cli/bin.js"), "version");
  const changelog = readFileSync(join(folder, "CHANGELOG.md"), "utf8");
  const changesets = readdirSync(".changeset").filter((file) => file.endsWith(".md"));
  for (const file of changesets) {
    const [, sentence = ""] =
      /---\n\n(.+)\n$/.exec(readFileSync(`.changeset/${file}`, "utf8")) ?? [];
    expect(changelog).toContain(sentence);
  }
  expect(readdirSync(join(folder, ".changeset")).filter((file) => file.endsWith(".md"))).toEqual(
    [],
  );
});
