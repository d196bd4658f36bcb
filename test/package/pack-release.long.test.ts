import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { absoluteLinks } from "../../scripts/pack-release.ts";
import { notesOf } from "../../scripts/rehearse-release.ts";

const work = mkdtempSync(join(tmpdir(), "malipo-pack-release-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const REPOSITORY = "https://code.example/shop/malipo";
const COMMIT = "0123456789012345678901234567890123456789";

/** The commands of the last step of a job of the release, as the workflow has them. */
function lastCommands(job: string): string {
  const workflow = readFileSync(".github/workflows/release.yml", "utf8");
  const [, text = ""] = workflow.split(new RegExp(`^ {2}${job}:$`, "m"));
  const [steps = ""] = text.split(/^ {2}\w+:$/m);
  const blocks = [...steps.matchAll(/run: \|\n((?: {10}.*\n)+)/g)];
  return (blocks.at(-1)?.[1] ?? "").replaceAll(/^ {10}/gm, "");
}

/** Runs a step as the runner does. */
const runStep = (commands: string, cwd: string, env: NodeJS.ProcessEnv) =>
  execFileSync("bash", ["-euo", "pipefail", "-c", `exec 2>&1\n${commands}`], {
    encoding: "utf8",
    cwd,
    env: { ...process.env, ...env },
  });

describe("the step of the release job that packs", () => {
  const file = (name: string) => join(work, "installed", "node_modules", "malipo", name);
  const json = (name: string) => JSON.parse(readFileSync(file(name), "utf8"));
  let printed: string;
  beforeAll(() => {
    printed = runStep(lastCommands("pack"), process.cwd(), {
      RUNNER_TEMP: work,
      GITHUB_OUTPUT: join(work, "outputs"),
      GITHUB_SERVER_URL: "https://code.example",
      GITHUB_REPOSITORY: "shop/malipo",
      GITHUB_SHA: COMMIT,
    });
  });

  test("passes on the name and the digest of what it packed", () => {
    const [name = "", other] = readdirSync(join(work, "release"));
    expect(other).toBeUndefined();
    const sha256 = createHash("sha256").update(readFileSync(join(work, "release", name)));
    expect(readFileSync(join(work, "outputs"), "utf8")).toBe(
      `name=${name}\nsha256=${sha256.digest("hex")}\n`,
    );
  });

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
    expect(targets.length).toBeGreaterThan(15);
    expect(targets.filter((target) => !/^(?:https:|#)/.test(target))).toEqual([]);
    expect(targets).toContain(`${REPOSITORY}/blob/${COMMIT}/docs/guides/charge-once.md`);
  });

  test("leaves no dead link in the manual of the package", () => {
    const root = join(work, "installed", "node_modules", "malipo");
    const pages = ["SECURITY.md", ...globSync("docs/**/*.md", { cwd: root })];
    expect(pages.length).toBeGreaterThan(25);
    const links = pages.flatMap((page) => {
      const text = readFileSync(join(root, page), "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
      const found = text.matchAll(/\]\((?<link>[^)\s]+)\)|<img\s[^>]*src="(?<image>[^"]+)"/g);
      return [...found].map(({ groups }) => ({
        page,
        target: groups?.link ?? groups?.image ?? "",
      }));
    });
    const isDead = ({ page, target }: (typeof links)[number]) =>
      !/^(?:[a-z]+:|#)/.test(target) &&
      !existsSync(join(root, dirname(page), target.replace(/#.*/, "")));
    expect(links.filter(isDead)).toEqual([]);
    const targets = links.map(({ target }) => target);
    expect(targets).toContain("charge-once.md");
    expect(targets).toContain("../img/outcomes.svg");
  });

  test("leads from one page of the manual to another within the package", () => {
    const root = join(work, "installed", "node_modules", "malipo");
    const atRepository = globSync("docs/**/*.md", { cwd: root }).flatMap((page) => {
      const text = readFileSync(join(root, page), "utf8");
      const found = text.matchAll(/\]\((https:\/\/code\.example\/[^)\s]+\.md[^)\s]*)\)/g);
      return [...found].map(([, target = ""]) => `${page}: ${target}`);
    });
    expect(atRepository).toEqual([]);
  });

  test("packs a bill of materials that names each bundled package and its version", () => {
    const { bomFormat, components } = json("dist/sbom.cdx.json");
    expect(bomFormat).toBe("CycloneDX");
    const installed = (name: string) =>
      JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version;
    expect(
      components.map(({ name, version }: { name: string; version: string }) => [name, version]),
    ).toEqual(
      ["@noble/hashes", "ky", "libphonenumber-js", "zod"].map((name) => [name, installed(name)]),
    );
  });

  test("packs what npm would publish", () => {
    expect(printed).toContain("+ malipo@");
  });
});

describe("the step of the release job that publishes", () => {
  const NAME = "malipo-1.2.3.tgz";

  /** Publishes with an npm that writes down its arguments. Returns its calls, or why there is none. */
  function publish(prepare: (folder: string) => void, name = NAME): string {
    const folder = mkdtempSync(join(work, "publish-"));
    const [artefact, bin] = [join(folder, "artefact"), join(folder, "bin")];
    for (const one of [artefact, bin, join(folder, "package")]) mkdirSync(one);
    const manifest = { name: "malipo", version: "1.2.3" };
    writeFileSync(join(folder, "package", "package.json"), JSON.stringify(manifest));
    execFileSync("tar", ["-czf", join(artefact, NAME), "package"], { cwd: folder });
    const calls = join(folder, "calls");
    writeFileSync(join(bin, "npm"), `#!/bin/sh\necho "$*" >> ${calls}\ntest "$1" != view\n`, {
      mode: 0o755,
    });
    const sha256 = createHash("sha256")
      .update(readFileSync(join(artefact, NAME)))
      .digest("hex");
    prepare(artefact);
    try {
      const PATH = `${bin}:${process.env.PATH}`;
      runStep(lastCommands("publish"), artefact, { PATH, NAME: name, SHA256: sha256 });
    } catch {
      return existsSync(calls) ? readFileSync(calls, "utf8") : "failed before npm ran";
    }
    return readFileSync(calls, "utf8");
  }

  test("publishes what was packed, with provenance", () => {
    expect(publish(() => {})).toContain(`publish ./${NAME} --access public --provenance`);
  });

  test.each<[string, (folder: string) => void, string?]>([
    ["another content", (folder) => writeFileSync(join(folder, NAME), "other")],
    ["another name", (folder) => renameSync(join(folder, NAME), join(folder, "malipo-9.9.9.tgz"))],
    ["a second file", (folder) => writeFileSync(join(folder, "malipo-0.0.1.tgz"), "")],
    [
      "a name that is not of its version",
      (folder) => renameSync(join(folder, NAME), join(folder, "malipo-9.9.9.tgz")),
      "malipo-9.9.9.tgz",
    ],
  ])("publishes nothing if the artefact has %s", (_, prepare, name) => {
    expect(publish(prepare, name)).toBe("failed before npm ran");
  });
});

test("links within a page and absolute links stay unchanged", () => {
  const source = { url: REPOSITORY, commit: COMMIT };
  const page = "[a](#part), [b](https://x.example/y), [c](mailto:a@b.example)";
  expect(absoluteLinks(page, source, "README.md")).toBe(page);
});

describe("npm run rehearse", () => {
  let printed: string;
  beforeAll(() => {
    const changed = () => execFileSync("git", ["status", "--porcelain"], { encoding: "utf8" });
    const before = changed();
    printed = execFileSync(process.execPath, ["scripts/rehearse-release.ts"], { encoding: "utf8" });
    expect(changed()).toBe(before);
  });

  test("shows the next version, with every changeset as a sentence of the release notes", () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    // Before its first release, the package has the version 0.0.0.
    expect(printed).toContain(version === "0.0.0" ? "malipo 0.1.0, " : "malipo ");
    for (const file of globSync(".changeset/*.md")) {
      const [, sentence = ""] = /---\n\n(.+)\n$/.exec(readFileSync(file, "utf8")) ?? [];
      expect(printed).toContain(`: ${sentence}\n`);
    }
  });

  test("lists the files of the tarball", () => {
    const [, version] = /^malipo (\S+), /.exec(printed) ?? [];
    expect(printed).toContain(`# malipo-${version}.tgz: `);
    for (const path of ["package.json", "dist/index.js", "dist/sbom.cdx.json", "docs/index.md"])
      expect(printed).toMatch(new RegExp(`^ +\\d+ {2}${path.replaceAll(".", "\\.")}$`, "m"));
  });

  test("shows the provenance statement of this commit, and says what only the workflow can show", () => {
    const [, text = ""] = /# Provenance statement\n\n(\{[\s\S]*?\n\})\n/.exec(printed) ?? [];
    const { subject, predicate } = JSON.parse(text);
    expect(subject[0].name).toMatch(/^pkg:npm\/malipo@\d/);
    expect(subject[0].digest.sha512).toMatch(/^[\da-f]{128}$/);
    const commit = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim();
    expect(predicate.buildDefinition.resolvedDependencies[0].digest).toEqual({ gitCommit: commit });
    expect(printed).toContain("no entry in the transparency log can be shown");
  });
});

test("the release notes of a version are its section of the CHANGELOG", () => {
  const changelog = "# malipo\n\n## 0.2.0\n\n- b\n\n## 0.1.0\n\n### Minor Changes\n\n- a\n";
  expect(notesOf(changelog, "0.1.0")).toBe("### Minor Changes\n\n- a");
  expect(notesOf(changelog, "0.2.0")).toBe("- b");
  expect(() => notesOf(changelog, "0.3.0")).toThrow("CHANGELOG.md has no section for 0.3.0.");
});
