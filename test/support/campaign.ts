import { type ChildProcess, execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** A campaign prints a line a minute, and ends by itself if it waits for too long. One that is silent stands still. */
const SILENCE_MS = 6 * 60_000;

/** How a campaign ended. */
export interface CampaignRun {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What each thread of a process and of those that it started waits for. Nothing on a machine without the `ps` of Linux. */
function standingThreads(pid: number): string {
  const { stdout } = spawnSync("ps", ["-eLo", "ppid,pid,lwp,stat,wchan:32,args"], {
    encoding: "utf8",
  });
  const tree = new Set([pid]);
  const rows = (stdout ?? "").split("\n").filter((row) => {
    const [parent, own] = row.trim().split(/\s+/).map(Number);
    if (parent !== undefined && own !== undefined && tree.has(parent)) tree.add(own);
    return own !== undefined && tree.has(own);
  });
  return rows.map((row) => row.slice(0, 160)).join("\n");
}

/** Kills a process that prints nothing for so long. Returns what it stood at, if that happened. */
function watchSilence(child: ChildProcess, silenceMs: number): () => string | undefined {
  let standing: string | undefined;
  const timer = setTimeout(() => {
    standing = standingThreads(child.pid as number);
    child.kill("SIGKILL");
  }, silenceMs);
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", () => timer.refresh());
  child.once("exit", () => clearTimeout(timer));
  return () => standing;
}

/**
 * Runs a script in a separate process, so that the test runner stays responsive.
 *
 * @throws {Error} with what it printed and where it stood, if it printed nothing for so long.
 */
export function runWatched(
  script: readonly string[],
  silenceMs: number = SILENCE_MS,
): Promise<CampaignRun> {
  // An engine that was given by its address cannot be killed.
  const { REDIS_URL, DATABASE_URL, MYSQL_URL, ...env } = process.env;
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      script,
      { cwd: ROOT, env },
      (error, stdout, stderr) => {
        const standing = stoodAt();
        if (standing === undefined) {
          resolve({ status: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
          return;
        }
        const what = `${script.join(" ")} stood still for ${silenceMs / 60_000} minutes, and was killed.`;
        reject(new Error([what, stdout, stderr, standing].join("\n")));
      },
    );
    const stoodAt = watchSilence(child, silenceMs);
  });
}

export const runCampaign = (...args: readonly string[]): Promise<CampaignRun> =>
  runWatched(["test/stress/main.ts", ...args]);

/**
 * Campaigns that several tests read, each run once. One that stood still has shown nothing: the second run of its test
 * runs it again.
 */
export function shareRuns(run: (name: string) => Promise<CampaignRun>) {
  const runs = new Map<string, Promise<CampaignRun>>();
  return (name: string): Promise<CampaignRun> => {
    const known = runs.get(name) ?? run(name);
    runs.set(name, known);
    known.catch(() => runs.delete(name));
    return known;
  };
}

/** This machine may lack an engine. The campaign says so. */
export const hasNotRun = ({ stdout }: CampaignRun): boolean => stdout.includes("NOT RUN");
