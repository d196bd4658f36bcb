// Shows what the next release is, without one: `npm run rehearse`. In a temporary clone of the last commit, it does
// what the release workflow does: raises the version, builds, packs and publishes without sending. It prints the
// release notes, the list of the tarball, and the provenance statement as far as it is known outside of the workflow.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const WORKFLOW = ".github/workflows/release.yml";

/** Stands for what only the workflow knows. */
const BY_WORKFLOW = "known in the workflow";

/** What `npm publish --dry-run --json` says of a package. */
interface Published {
  readonly version: string;
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** The section of a version in a changelog. @throws {Error} if there is none. */
export function notesOf(changelog: string, version: string): string {
  const section = changelog.split(/^## /m).find((one) => one.startsWith(`${version}\n`));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${version}.`);
  return section.slice(version.length).trim();
}

/**
 * The statement that npm signs (https://docs.npmjs.com/generating-provenance-statements), in the form of
 * https://slsa.dev/spec/v1.0/provenance.
 */
function statementOf(tarball: string, { version, repository, commit }: Record<string, string>) {
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [
      {
        name: `pkg:npm/malipo@${version}`,
        digest: { sha512: createHash("sha512").update(readFileSync(tarball)).digest("hex") },
      },
    ],
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "https://slsa-framework.github.io/github-actions-buildtypes/workflow/v1",
        externalParameters: {
          workflow: { ref: "refs/heads/main", repository, path: WORKFLOW },
        },
        internalParameters: { github: BY_WORKFLOW },
        resolvedDependencies: [
          { uri: `git+${repository}@refs/heads/main`, digest: { gitCommit: commit } },
        ],
      },
      runDetails: { builder: BY_WORKFLOW, metadata: { invocationId: BY_WORKFLOW } },
    },
  };
}

function rehearse(work: string): string {
  const clone = join(work, "clone");
  const run = (command: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): string =>
    execFileSync(command, args, {
      cwd: clone,
      encoding: "utf8",
      env: { ...env, ...more },
      maxBuffer: 16_000_000,
      stdio: ["ignore", "pipe", "pipe"],
    });
  execFileSync("git", ["clone", "--quiet", ROOT, clone]);
  symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
  const commit = run("git", ["rev-parse", "HEAD"]).trim();

  const workflow = readFileSync(join(clone, WORKFLOW), "utf8");
  const [, raiseVersion = "false"] = /^ +version: (npx .+)$/m.exec(workflow) ?? [];
  // Without changesets, the version has been raised already.
  if (globSync(".changeset/*.md", { cwd: clone }).length > 0) run("bash", ["-ec", raiseVersion]);
  run("npx", ["tsup", "--silent"]);
  const source = {
    GITHUB_SERVER_URL: env.GITHUB_SERVER_URL ?? "https://github.com",
    GITHUB_REPOSITORY: env.GITHUB_REPOSITORY ?? "owner/malipo",
    GITHUB_SHA: commit,
  };
  const pack = ["node", "scripts/pack-release.ts", join(work, "release")];
  const tarball = run("npx", pack, source).trim();
  const publish = ["publish", tarball, "--access", "public", "--provenance", "--ignore-scripts"];
  const printed = JSON.parse(run("npm", [...publish, "--dry-run", "--json"]));
  const { version, filename, unpackedSize, files }: Published = printed.malipo ?? printed;

  const repository = `${source.GITHUB_SERVER_URL}/${source.GITHUB_REPOSITORY}`;
  const statement = statementOf(tarball, { version, repository, commit });
  return [
    `malipo ${version}, rehearsed from commit ${commit}\n`,
    `# Release notes\n\n${notesOf(readFileSync(join(clone, "CHANGELOG.md"), "utf8"), version)}\n`,
    `# ${filename}: ${files.length} files, ${Math.ceil(unpackedSize / 1000)} kB unpacked\n`,
    ...files.map(({ path, size }) => `${String(size).padStart(9)}  ${path}`),
    `\n# Provenance statement\n\n${JSON.stringify(statement, undefined, 2)}\n`,
    "The workflow adds what only it knows: the run, the runner and the ids of the repository, and the commit that raised the version.",
    "Outside of it, there is no identity to sign with: no signature, no certificate and no entry in the transparency log can be shown.",
  ].join("\n");
}

if (import.meta.main) {
  const work = mkdtempSync(join(tmpdir(), "malipo-rehearsal-"));
  try {
    console.log(rehearse(work));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
