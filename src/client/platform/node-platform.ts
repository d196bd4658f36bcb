import fs from "node:fs";
import { requestIdOf } from "../../errors/request-id.ts";
import { describeName } from "../../internal/check-options.ts";
import { allowedEnvironmentVariable } from "../../internal/environment.ts";
import {
  failedBeforeSending,
  failureCode,
  failureMessage,
} from "../../internal/failed-before-sending.ts";
import type { Redactor } from "../../internal/redact.ts";
import { isLoopback } from "../../internal/urls.ts";
import { callHook } from "../hooks.ts";
import { isBrowser } from "../runtime.ts";
import type { AttemptLog, ConnectionDetails, LoggedAttempt } from "./platform-types.ts";

/** What a value of MALIPO_LOG lets through. */
const LEVELS: Readonly<Record<string, (attempt: LoggedAttempt) => boolean>> = {
  debug: () => true,
  warn: ({ error }) => error !== undefined,
};

const STDERR = 2;

/**
 * Writes a line to stderr. If stderr is closed, this throws, and is caught: the console and the
 * streams of Node.js would end the process later, with an error that cannot be caught.
 */
function write(line: string): void {
  fs.writeSync(STDERR, `${line}\n`);
}

function lineOf(attempt: LoggedAttempt, redactor: Redactor, retryInMs?: number): string {
  const { view, durationMs, response, error, aborted } = attempt;
  const requestId = requestIdOf(response?.headers);
  const fields = {
    attempt: view.attempt,
    ms: Math.round(durationMs),
    status: response?.status,
    request_id: requestId && redactor.text(requestId),
    code: error?.code,
    cause: failureCode(error?.cause),
    outcome: error?.outcome,
    retry: error && retryInMs === undefined ? "no" : undefined,
    retry_in_ms: retryInMs && Math.round(retryInMs),
  };
  const end = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${value}`);
  return `${new Date().toISOString()} malipo ${view.method} ${view.url}${end.join("")}${aborted ? " aborted" : ""}`;
}

/**
 * The log of attempts that the environment variable MALIPO_LOG asks for; `undefined` if it does not,
 * and in browsers: customers would see it.
 */
export function attemptLog(redactor: Redactor): (() => AttemptLog) | undefined {
  const level = isBrowser() ? undefined : allowedEnvironmentVariable("MALIPO_LOG");
  if (level === undefined || level === "off") return undefined;
  const shows = Object.hasOwn(LEVELS, level) ? LEVELS[level] : undefined;
  if (shows === undefined) {
    callHook(
      write,
      () =>
        `malipo: MALIPO_LOG can be debug, warn or off; got ${describeName(level)}. Nothing is logged.`,
    );
    return undefined;
  }
  return () => {
    let last: LoggedAttempt | undefined;
    const follows = (retryInMs?: number) => {
      const attempt = last;
      last = undefined;
      if (attempt === undefined || !shows(attempt)) return;
      callHook(write, () => lineOf(attempt, redactor, retryInMs));
    };
    return {
      ended: (attempt) => {
        last = attempt;
        // Whether a failure is retried is known later.
        if (attempt.error === undefined) follows();
      },
      follows,
    };
  };
}

// How runtimes say that nothing listens at an address.
const NO_LISTENER: readonly (string | undefined)[] = ["ECONNREFUSED", "ConnectionRefused"];

/** Most messages of a runtime name the code. */
const reasonOf = (code: string, message = code): string =>
  message.includes(code) ? message : `${code}: ${message}`;

/** What the codes of a failed connection say. */
export function connectionDetails(cause: unknown, origin: string): ConnectionDetails {
  const code = failureCode(cause);
  const isSandboxDown = NO_LISTENER.includes(code) && isLoopback(new URL(origin).hostname);
  return {
    wasNotSent: failedBeforeSending(cause),
    reason: code && reasonOf(code, failureMessage(cause)),
    hint: isSandboxDown ? "Is the sandbox running? Start it with npx malipo sandbox." : undefined,
  };
}
