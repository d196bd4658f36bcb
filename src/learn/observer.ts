import { ConfigurationError } from "../errors/configuration.ts";
import { checkOptions, type OptionRows, optional, wrongOption } from "../internal/check-options.ts";
import { encodeProfile } from "../profile/file-format.ts";
import type { ProfileFile, ServiceProfile } from "../profile/profile-types.ts";
import type { HeaderEntries } from "./observed.ts";
import { profileSaver, readProfileFile } from "./profile-file.ts";
import { Recorder } from "./recorder.ts";

/** How long one turn may analyse, in milliseconds. The rest waits for the next turn. */
const TURN_MS = 2;
const MAX_ENTRIES = 200;
const MAX_CHARACTERS = 2_000_000;

/** Work that was put off, with its size in characters. */
interface Entry {
  readonly run: () => void;
  readonly size: number;
}

/** Runs a function in a later turn. It does not keep the process alive. */
function later(run: () => void): void {
  // Browsers and Workers have no setImmediate, and timers that are numbers.
  const timer: unknown = (globalThis.setImmediate ?? setTimeout)(run);
  (Object(timer) as { unref?: () => void }).unref?.();
}

/**
 * Work for turns in which no call waits. It is bounded: what does not fit is dropped, since the next
 * response teaches the same.
 */
class IdleQueue {
  readonly #entries: Entry[] = [];
  #size = 0;
  #isScheduled = false;

  /** @param size - How many characters the work holds in memory until it has run. */
  add(size: number, run: () => void): void {
    if (this.#entries.length >= MAX_ENTRIES || this.#size + size > MAX_CHARACTERS) return;
    this.#size += size;
    this.#entries.push({ size, run });
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#entries.length === 0) return;
    this.#isScheduled = true;
    later(() => {
      this.#isScheduled = false;
      this.flush(performance.now() + TURN_MS);
      this.#schedule();
    });
  }

  /** Does the work now: all of it, or as much as there is time for. */
  flush(end = Number.POSITIVE_INFINITY): void {
    while (performance.now() < end) {
      const entry = this.#entries.shift();
      if (entry === undefined) return;
      this.#size -= entry.size;
      try {
        entry.run();
      } catch {
        // What cannot be read teaches nothing.
      }
    }
  }
}

/** What {@link createObserver} takes. */
export interface ObserverOptions {
  /**
   * The file of the profile, such as `malipo.service.json`. If it exists, the observer goes on with
   * it. Set it on servers; leave it out if there is no file system, and store `profile()` yourself.
   *
   * @default none: `save()` rejects
   */
  file?: string | undefined;
}

/** Learns how a service behaves, from what a gateway and a webhook receiver see. */
export interface Observer {
  /** What was learned so far: plain JSON, with shapes and no values. */
  profile(): ProfileFile;
  /**
   * Writes the profile to its file, whole or not at all. Call it when the process stops, and periodically
   * before. What another process has written meanwhile stays in it.
   *
   * @throws {ConfigurationError} without `file`, and if the file cannot be written or is not a
   * profile of this version. The file is unchanged then.
   */
  save(): Promise<void>;
  /** For a gateway: see its option `observer`. Returns at once, and analyses later. */
  observeExchange(exchange: {
    readonly method: string;
    readonly url: string;
    readonly baseUrl: string;
    readonly key: "public" | "secret" | "sandbox";
    readonly hasBody: boolean;
    readonly response: Response;
    readonly text: string;
  }): void;
  /** For a webhook receiver: see its option `observer`. Returns at once, and analyses later. */
  observeDelivery(delivery: {
    readonly headers: Headers | { readonly [name: string]: string | readonly string[] | undefined };
    readonly body: Uint8Array;
    readonly status: number;
    readonly receivedAt: number;
  }): void;
}

const OPTIONS = {
  file: (path) =>
    optional(path, (given) => {
      if (typeof given === "string" && given !== "") return given;
      throw wrongOption("file", "a path", given);
    }),
} satisfies OptionRows<ObserverOptions>;

/** Reads what is known. A file that cannot be read must not keep a shop from starting. */
function openFile(path: string): { path: string; base: ServiceProfile | undefined } {
  try {
    return { path, base: readProfileFile(path) };
  } catch (error) {
    const beside = `${path.replace(/\.json$/, "")}.new.json`;
    // biome-ignore lint/suspicious/noConsole: it is the only place that a shop without options looks at
    console.warn(
      `malipo: ${(error as Error).message} The observer starts without it, and saves to ${beside}.`,
    );
    return openFile(beside);
  }
}

function* headerEntries(
  headers: Parameters<Observer["observeDelivery"]>[0]["headers"],
): Generator<readonly [string, string]> {
  if (typeof headers.get === "function") {
    yield* headers as unknown as HeaderEntries;
    return;
  }
  for (const [name, value] of Object.entries(headers)) {
    const first: unknown = Array.isArray(value) ? value[0] : value;
    if (typeof first === "string") yield [name, first];
  }
}

/**
 * Makes an observer: it learns how your service behaves from real responses and deliveries, and stores
 * shapes, never values. It costs a call about a microsecond, and never fails one.
 *
 * A file that cannot be read is reported on `console.warn`, and never stops the shop: the observer starts
 * without it, and saves to a new file beside it.
 *
 * @throws {ConfigurationError} for an unknown option.
 *
 * @example
 * ```ts
 * import { Gateway } from "malipo";
 * import { createObserver } from "malipo/learn";
 *
 * const observer = createObserver({ file: "malipo.service.json" });
 * const gateway = new Gateway({ observer });
 * process.once("beforeExit", () => observer.save());
 * ```
 */
export function createObserver(options: ObserverOptions = {}): Observer {
  const { file } = checkOptions(options, OPTIONS, "createObserver");
  const opened = file === undefined ? undefined : openFile(file);
  const recorder = new Recorder({ by: "observer", base: opened?.base });
  const queue = new IdleQueue();
  const learned = (): ServiceProfile => {
    queue.flush();
    return recorder.profile();
  };
  const save = opened && profileSaver(opened.path, learned);
  return {
    profile: () => encodeProfile(learned()),
    save: async () => {
      if (save !== undefined) return save();
      throw new ConfigurationError(
        "This observer has no file. Set `file` in createObserver(), or store observer.profile() yourself.",
      );
    },
    observeExchange: ({ method, url, baseUrl, key, hasBody, response, text }) =>
      queue.add(text.length, () => {
        const [path = "", query = ""] = url.slice(baseUrl.length).split("?");
        const { status, headers } = response;
        const exchange = { method, path, key, hasBody, status, headers, body: text };
        recorder.record({ ...exchange, query: new URLSearchParams(query) });
      }),
    observeDelivery: ({ headers, body, status, receivedAt }) =>
      queue.add(body.length, () =>
        recorder.recordDelivery({ headers: [...headerEntries(headers)], body, status, receivedAt }),
      ),
  };
}
