import { parseJson } from "../../internal/json.ts";
import {
  CONTROL_PREFIX,
  type CommandName,
  type CommandResult,
  commandRequest,
} from "../../sandbox/control/commands.ts";
import { CliError } from "../cli-error.ts";

/** Enough for a command that waits for one receiver. */
const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Runs a command on the sandbox at this origin.
 *
 * @param timeoutMs - How long the command may take.
 * @throws {CliError} `unreachable` if there is no response, `rejected` if the sandbox rejects the
 *   command.
 */
export function runCommand<Name extends CommandName>(
  origin: string,
  name: Name,
  fields: Readonly<Record<string, unknown>>,
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
): Promise<CommandResult<Name>> {
  const { method, path, body } = commandRequest(name, fields);
  return callSandbox(origin, path, {
    method,
    signal: AbortSignal.timeout(timeoutMs),
    ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
}

/**
 * Reads from the sandbox at this origin. The path is the one below the prefix of the control API.
 *
 * @throws {CliError} as {@link runCommand} does.
 */
export const querySandbox = <Result>(origin: string, path: string): Promise<Result> =>
  callSandbox(origin, path, { signal: AbortSignal.timeout(DEFAULT_TIMEOUT_MS) });

/** Long enough for a sandbox of this machine that is busy. */
const LOOK_TIMEOUT_MS = 3_000;

/** Whether a sandbox responds at this origin. */
export const isSandbox = (origin: string): Promise<boolean> =>
  callSandbox(origin, "/clock", { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) }).then(
    () => true,
    () => false,
  );

async function callSandbox<Result>(
  origin: string,
  path: string,
  init: RequestInit,
): Promise<Result> {
  const { status, text } = await send(origin, path, init);
  const { success, data, error } = Object(parseJson(text)) as Record<string, unknown>;
  if (success === true) return data as Result;
  if (typeof error !== "string") {
    throw rejected(`${origin} returned ${status}. It is not a sandbox of this version of malipo.`);
  }
  // 422: the sandbox understood the command and cannot carry it out. Its message is enough.
  throw rejected(status === 422 ? error : `${origin} returned ${status}: ${error}`);
}

/** A result of another shape makes the command fail that reads it. */
export const explainMisread = (error: unknown): unknown =>
  error instanceof TypeError
    ? rejected(
        `The sandbox returned what this version of malipo does not understand (${error.message}). Check that --url is the address of a sandbox, and that both have the same version.`,
      )
    : error;

const rejected = (message: string) => new CliError("rejected", message);

async function send(origin: string, path: string, init: RequestInit) {
  try {
    const response = await fetch(origin + CONTROL_PREFIX + path, { ...init, redirect: "manual" });
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    const late = (cause as Error).name === "TimeoutError" ? " in time" : "";
    throw new CliError(
      "unreachable",
      `No sandbox responds${late} at ${origin}. Start one: malipo sandbox. If it runs on another port, give --url.`,
      { cause },
    );
  }
}
