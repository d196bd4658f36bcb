import type { Sabotages } from "../harness/bundle.ts";

export const PROMPT_SABOTAGES: Sabotages = {
  // An attempt is sent whenever its process wakes.
  "no-deadline": {
    file: "idempotency/deadline.ts",
    from: "const { wallMs, monotonicMs } = elapsed();",
    to: "const { wallMs, monotonicMs } = { wallMs: 0, monotonicMs: 0 };",
    breaks: "sent_late",
  },
  // An attempt is freed although it is too early for that.
  "early-resolve": {
    file: "idempotency/tables.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a part of the source
    from: "WHERE ${isResolvable} AND ${isFreeable} AND",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a part of the source
    to: "WHERE ${isResolvable} AND",
    breaks: "freed_early",
  },
  // A process knows only what it has stored itself.
  "forgetful-store": {
    file: "idempotency/run-once.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a part of the source
    from: "=> `${endpoint} ${key}`;",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a part of the source
    to: "=> `${endpoint} ${process.pid} ${key}`;",
    breaks: "prompts",
  },
};
