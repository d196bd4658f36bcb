import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const FILES = globSync(".github/workflows/*.yml");
const read = (file: string) => readFileSync(file, "utf8");

describe.each(FILES)("%s", (file) => {
  const text = read(file);

  test("pins each action to a commit", () => {
    const actions = [...text.matchAll(/uses: (\S+)(.*)/g)];
    expect(actions.length).toBeGreaterThan(0);
    for (const [, action, comment] of actions) {
      expect(action).toMatch(/@[\da-f]{40}$/);
      expect(comment).toMatch(/^ # v\d/);
    }
  });

  test("leaves no credentials behind after a checkout", () => {
    const checkouts = text.split("actions/checkout@").slice(1);
    for (const step of checkouts) {
      expect(step.split("- uses:")[0]).toContain("persist-credentials: false");
    }
  });

  test("checks the signatures of packages before any code of them runs", () => {
    const jobs = text.split(/^ {2}[\w-]+:$/m).filter((job) => /npm ci|\.ci\/run/.test(job));
    expect(jobs.length).toBeGreaterThan(0);
    for (const job of jobs) {
      const commands = job.match(/npm ci.*|npm audit.*|npm rebuild|npm test|npx .*|\.ci\/run/g);
      expect(commands?.slice(0, 2)).toEqual(["npm ci --ignore-scripts", "npm audit signatures"]);
    }
  });

  test("names no registry host", () => {
    expect(text).not.toMatch(/registry/);
  });
});

test("nothing but the workflow publishes", () => {
  const { scripts } = JSON.parse(read("package.json"));
  for (const command of Object.values(scripts)) expect(command).not.toContain("publish");
});

test("the job that may publish installs and runs nothing of the project", () => {
  const [, publish = ""] = read(".github/workflows/release.yml").split(/^ {2}publish:$/m);
  expect(publish).toContain("id-token: write");
  expect(publish).not.toMatch(/checkout|npm (?:ci|install|run|test)|npx/);
  const [before = ""] = read(".github/workflows/release.yml").split(/^ {2}publish:$/m);
  expect(before).not.toContain("id-token");
});
