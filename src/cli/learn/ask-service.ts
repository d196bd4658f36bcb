import { settingsFrom } from "../../client/settings.ts";
import { ProbeError } from "../../errors/probe-error.ts";
import { isPhoneDigits, maskPhones, phoneDigits } from "../../internal/phone-digits.ts";
import { MINUTE_MS } from "../../internal/units.ts";
import {
  MAX_REQUESTS,
  type ProbeOptions,
  type ProbeResult,
  probe,
} from "../../learn/probe/run-probe.ts";
import { type Choices, chooseSteps, PARTS, type Step } from "../../learn/probe/steps.ts";
import { FOLLOW_MS } from "../../learn/probe/watch-payment.ts";
import { CliError, usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import type { ProbeFlags } from "../flags/learn.ts";
import { gatewaySettings } from "../gateway-from-flags.ts";
import { readSecret } from "../input/files.ts";
import type { Io, TextOutput } from "../io.ts";
import { paint, printable, write } from "../terminal/output.ts";
import { type ProgressOutput, showProgress } from "../terminal/progress.ts";
import { formatTable, type Screen } from "../terminal/table.ts";

/** What a probe was called with, checked. Nothing was sent. */
export interface ProbeSettings extends Choices {
  readonly baseUrl: string;
  readonly key: string;
}

/**
 * Checks the flags that decide what is sent, and with which keys.
 *
 * @throws {CliError} `usage`, and `configuration` for a key or a URL that is missing or cannot be one.
 */
export async function readProbeSettings(input: Input<ProbeFlags>): Promise<ProbeSettings> {
  const { flags, io } = input;
  const { prompt: phone, write = false, "public-key-file": file } = flags;
  const { key, kind, baseUrl } = await gatewaySettings(input);
  const isPublic = kind === "public";
  if (kind === "secret" && !flags.live) {
    throw usageError(
      "This is a secret key (sk_): it acts on the merchant's real account. Nothing was sent. Use a sandbox key (sb_), or add --live if you mean it.",
    );
  }
  if (phone !== undefined && !isPhoneDigits(phoneDigits(phone))) {
    throw usageError(
      "--prompt must be a phone number of 9 to 15 digits, such as 0712345678. Nothing was sent.",
    );
  }
  if (isPublic && (write || phone !== undefined)) {
    throw usageError(
      `A public key (pk_) may only read. Nothing was sent. For --${write ? "write" : "prompt"}, use a sandbox key (sb_).`,
    );
  }
  const publicKey = file === undefined ? (isPublic ? key : undefined) : readSecret(io, file);
  const publicKind = publicKey && settingsFrom({ apiKey: publicKey, baseUrl }).kind;
  if (publicKind !== undefined && publicKind !== "public") {
    throw usageError(
      `--public-key-file must hold a public key (pk_); ${file} holds a ${publicKind} key. Nothing was sent.`,
    );
  }
  return { baseUrl, key, keyKind: kind, publicKey, phone, write };
}

type Asked = Pick<ProbeSettings, "baseUrl" | "keyKind" | "phone" | "write">;

const queryOf = ({ query = {} }: Step): string =>
  Object.entries(query)
    .map(([name, value]) => `${name}=${value}`)
    .join("&");

const LIST = "(the longest list)";

/** The request of a step, without its values: `GET /payments/{payment}`. */
function stepName(step: Step): string {
  const query = queryOf(step);
  const path = { "{readable}": "(any read)", "{longestList}": LIST }[step.path] ?? step.path;
  return `${step.method} ${path}${query && `?${query}`}`;
}

/** One row for each request, and one for paging. */
function rowsOf(part: string, steps: readonly Step[]): string[][] {
  if (part !== "paging") return steps.map((step) => [stepName(step), step.learns]);
  return [[`GET ${LIST}`, steps.flatMap((step) => queryOf(step) && `?${queryOf(step)}`).join(" ")]];
}

function promises({ write, keyKind, phone }: Asked, out: string | undefined): string[] {
  const isLive = keyKind === "secret";
  return [
    write
      ? `It creates one invoice and one webhook, changes them and deletes them again.${phone ? "" : " It sends nothing to a customer."}${isLive ? " The key is a secret key: the invoice is in the real books until it is deleted." : ""}`
      : "It creates nothing: add --write to create and delete an invoice and a webhook.",
    phone
      ? `It asks the phone ${maskPhones(phone)} to pay 1.00, and waits until the prompt is answered, for at most ${FOLLOW_MS / MINUTE_MS} min.${isLive ? " The key is a secret key: this is real money." : ""}`
      : "It starts no payment: add --prompt PHONE to start one.",
    "No probe can decide the headers, payloads and retries of deliveries, what a sent invoice returns, and the status of a missing scope: those come from an observer or the proxy.",
    ...(out === undefined
      ? []
      : [`It writes what it learns to ${printable(out)}: shapes, never values.`]),
  ];
}

/**
 * What the probe is going to send, before it sends anything.
 *
 * @param out - The file that the profile goes to; `undefined` if it goes to none.
 */
export function formatPlan(
  steps: readonly Step[],
  asked: Asked,
  screen: Screen,
  out?: string,
): string {
  const parts = Object.entries(PARTS).flatMap(([part, title]) => {
    const own = steps.filter((step) => step.part === part);
    if (own.length === 0) return [];
    const rows = formatTable(screen, rowsOf(part, own)).replace(/^/gm, "  ");
    return [`${paint("bold", `${title} (${own.length})`)}\n${rows}`];
  });
  const head = `malipo asks ${printable(asked.baseUrl)} at most ${Math.min(steps.length, MAX_REQUESTS)} questions, one at a time, with a ${asked.keyKind} key.`;
  return [head, ...parts, promises(asked, out).join("\n")].join("\n\n");
}

interface ProbeTarget {
  /** Where the plan and the progress go. */
  readonly stream: TextOutput;
  /** The progress is not shown. */
  readonly isHidden: boolean;
  /** The file that the profile goes to; `undefined` if it goes to none. */
  readonly out?: string;
}

/**
 * Prints the plan, and then asks the service. Ctrl-C stops it, after what was created is deleted.
 *
 * @throws {CliError} if the service cannot be probed.
 */
export async function askService(
  io: Io,
  settings: ProbeSettings,
  { stream, isHidden, out }: ProbeTarget,
): Promise<ProbeResult> {
  const steps = chooseSteps(settings);
  write(stream, `${formatPlan(steps, settings, stream, out)}\n\n`);
  const { end, ...progress } = showSteps(steps.length, stream, isHidden);
  const controller = new AbortController();
  const forget = io.onStop(() => {
    // Another signal ends the process.
    forget();
    const deletes = " It deletes what it created. To leave it there, press Ctrl-C again.";
    progress.notify(`The probe stops.${settings.write ? deletes : ""}`);
    controller.abort();
  });
  try {
    return await probe({ ...settings, ...progress, steps, signal: controller.signal });
  } catch (error) {
    throw toCliError(error, out);
  } finally {
    forget();
    end();
  }
}

/** Shows how far the probe is, and what it does not ask. What it has to say is shown also with `--json`. */
export function showSteps(total: number, output: ProgressOutput, isHidden: boolean) {
  let done = 0;
  let latest = "";
  const progress = showProgress({
    line: () => `${done} of ${total} requests${latest}`,
    share: () => done / total,
    output,
    isHidden,
  });
  const onStep: ProbeOptions["onStep"] = ({ step, status, skipped }) => {
    done++;
    if (skipped === undefined) latest = `: ${stepName(step)} ${status}`;
    else if (!isHidden) progress.note(`${stepName(step)}  left out: ${skipped}`);
  };
  return { onStep, notify: progress.note, end: progress.end };
}

/** The error as the command line reports it, with what became of the file. */
function toCliError(error: unknown, out: string | undefined): unknown {
  if (!(error instanceof ProbeError)) return error;
  const { code, outcome, message } = error;
  const rest = out === undefined ? "" : `\n${out} was not written.`;
  const options = { cause: error, ...(outcome === "unknown" && { exitCode: EXIT.unknown }) };
  return new CliError(code, message + rest, options);
}
