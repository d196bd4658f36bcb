import type { Job, JobJson, JobsOptions } from "bullmq";
import { exactText } from "../../text.ts";
import { MAX_ATTEMPTS, type NewDelivery, type TraceContext } from "../../types.ts";

/** What a job holds. Its name is the event kind, its id the key of the event. */
export interface JobData {
  /** First, so that a script finds it before the texts of others. */
  readonly digest: string;
  readonly body: string;
  readonly secretIndex: number;
  readonly receivedAt: number;
  readonly signature?: string | undefined;
  readonly traceContext?: TraceContext | undefined;
  /** Until when it is kept for a process that takes its kind, in milliseconds since the epoch. */
  readonly keptUntil?: number | undefined;
}

/** The options of the job of an event. */
export const JOB_OPTIONS: JobsOptions = { attempts: MAX_ATTEMPTS, backoff: { type: "malipo" } };

export function jobDataOf(delivery: NewDelivery): JobData {
  const { digest, raw, secretIndex, receivedAt, signature, traceContext } = delivery;
  return { digest, body: exactText(raw), secretIndex, receivedAt, signature, traceContext };
}

/** A new job, as BullMQ writes it. */
export const newJob = (id: string, name: string, data: JobData, opts: JobsOptions): JobJson => ({
  id,
  name,
  data: JSON.stringify(data),
  opts,
  timestamp: data.receivedAt,
  progress: 0,
  attemptsMade: 0,
  attemptsStarted: 0,
  stalledCounter: 0,
  failedReason: "",
  returnvalue: "",
});

/** Attempts that ended: failed ones, and those during which a process died. */
export const attemptsOf = ({ attemptsMade, stalledCounter }: Job<JobData>): number =>
  attemptsMade + stalledCounter;

/** The digest in what a queue knows of an event: the data of its job, or the remembered digest. */
export const digestIn = (known: string): string =>
  known.startsWith("{") ? (JSON.parse(known) as JobData).digest : known;

/** Whether a person or a handler is done with what a queue knows. */
export const isDone = (known: string): boolean => known !== "" && !known.startsWith("{");
