import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** How a campaign ended. */
export interface CampaignRun {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a campaign in a separate process, so that the test runner stays responsive. */
export function runCampaign(...args: readonly string[]): Promise<CampaignRun> {
  // An engine that was given by its address cannot be killed.
  const { REDIS_URL, DATABASE_URL, MYSQL_URL, ...env } = process.env;
  const script = ["test/stress/main.ts", ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, script, { cwd: ROOT, env }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** This machine may lack an engine. The campaign says so. */
export const hasNotRun = ({ stdout }: CampaignRun): boolean => stdout.includes("NOT RUN");
