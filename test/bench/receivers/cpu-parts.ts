// Where the CPU time of this process goes, by the files of what runs.
import { type Profiler, Session } from "node:inspector/promises";

/** The share of each part in the CPU time of the process. */
export type CpuParts = Readonly<Record<string, number>>;

/** The first row whose pattern matches the file of a function is its part. */
const PARTS: readonly (readonly [pattern: RegExp, part: string])[] = [
  [/^node:(internal\/)?crypto/, "node:crypto"],
  [/^node:(internal\/)?(_?http|net|stream|dns|url)/, "node:http, sockets and streams"],
  [/^node:/, "the rest of Node.js"],
  [/\/node_modules\/(ioredis|@ioredis|redis-parser|denque)\//, "ioredis"],
  [/\/node_modules\/(bullmq|msgpackr)\//, "bullmq"],
  [/\/node_modules\/pg-boss\//, "pg-boss"],
  [/\/node_modules\/pg[^/]*\//, "pg"],
  [/\/node_modules\/mysql2\//, "mysql2"],
  [/\/dist\//, "malipo"],
];

function partOf({ functionName, url }: Profiler.ProfileNode["callFrame"]): string {
  if (functionName === "(garbage collector)") return "garbage collector";
  return PARTS.find(([pattern]) => pattern.test(url))?.[1] ?? "native code and system calls";
}

export interface CpuProfile {
  stop(): Promise<CpuParts>;
}

const SAMPLE_US = 200;

export async function profileCpu(): Promise<CpuProfile> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: SAMPLE_US });
  await session.post("Profiler.start");
  return {
    stop: async () => {
      const { profile } = await session.post("Profiler.stop");
      session.disconnect();
      const samples = new Map<string, number>();
      let all = 0;
      for (const { callFrame, hitCount = 0 } of profile.nodes) {
        if (callFrame.functionName === "(idle)") continue;
        const part = partOf(callFrame);
        samples.set(part, (samples.get(part) ?? 0) + hitCount);
        all += hitCount;
      }
      return Object.fromEntries([...samples].map(([part, hits]) => [part, hits / all]));
    },
  };
}
