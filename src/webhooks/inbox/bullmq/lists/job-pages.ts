import type { EventFilter } from "../../event-list.ts";
import { compareEvents, matchesFilter } from "../../event-pages.ts";
import type { JobData } from "../shards/job-data.ts";
import type { RedisClient } from "../shards/scripts.ts";

/** The jobs of one queue that are in a list. */
export interface JobSource {
  readonly redis: RedisClient;
  /** The key of a job. */
  key(id: string): string;
  /** The ids from one place to another, the last one included. */
  ids(from: number, to: number): Promise<string[]>;
}

/** A job of a list. */
export interface ListedJob {
  readonly id: string;
  readonly event: string;
  readonly receivedAt: number;
  readonly data: JobData;
  readonly failedReason: string;
  /** Attempts that ended. */
  readonly attempts: number;
}

/** So many jobs are read at a time: other commands get their turn in between. */
const PAGE = 1_000;

type Position = Pick<ListedJob, "id" | "event" | "receivedAt"> & { readonly source: JobSource };

/** Reads some fields of many jobs. */
async function readFields(
  redis: RedisClient,
  keys: readonly string[],
  fields: readonly string[],
): Promise<(string | null)[][]> {
  if (keys.length === 0) return [];
  const pipeline = redis.pipeline();
  for (const key of keys) pipeline.hmget(key, ...fields);
  return ((await pipeline.exec()) ?? []).map(([error, values]) => {
    if (error !== null) throw error;
    return values as (string | null)[];
  });
}

/** Where all matching jobs of a source stand. */
async function positionsIn(source: JobSource, filter: EventFilter): Promise<Position[]> {
  const positions: Position[] = [];
  for (let from = 0; ; from += PAGE) {
    const ids = await source.ids(from, from + PAGE - 1);
    const keys = ids.map((id) => source.key(id));
    const rows = await readFields(source.redis, keys, ["name", "timestamp"]);
    for (const [at, [event, timestamp]] of rows.entries()) {
      // Requeued or dropped in the meantime.
      if (event == null) continue;
      const position = { id: ids[at] as string, event, receivedAt: Number(timestamp), source };
      if (matchesFilter(position, filter)) positions.push(position);
    }
    if (ids.length < PAGE) return positions;
  }
}

async function readJob({ source, ...position }: Position): Promise<ListedJob | undefined> {
  const fields = ["data", "failedReason", "atm", "stc"];
  const [row] = await readFields(source.redis, [source.key(position.id)], fields);
  const [data, failedReason, made, stalled] = row ?? [];
  if (data == null) return undefined;
  const attempts = Number(made ?? 0) + Number(stalled ?? 0);
  const parsed = JSON.parse(data) as JobData;
  return { ...position, data: parsed, failedReason: failedReason ?? "", attempts };
}

/** The first jobs of all sources that match. */
export async function listJobs(
  sources: readonly JobSource[],
  filter: EventFilter,
): Promise<ListedJob[]> {
  const positions = await Promise.all(sources.map((source) => positionsIn(source, filter)));
  const first = positions.flat().sort(compareEvents).slice(0, filter.limit);
  const jobs = await Promise.all(first.map(readJob));
  return jobs.filter((job) => job !== undefined);
}
