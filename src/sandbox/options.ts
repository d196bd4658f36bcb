import { ConfigurationError } from "../errors/configuration.ts";
import type { Deliver } from "./deliveries/deliveries.ts";
import { checkFields } from "./faults/faults.ts";

/** How a sandbox is set up. */
export interface SandboxOptions {
  /** The same seed and the same calls give the same transcript, ids and secrets included. @default "malipo" */
  seed?: string | number | undefined;
  /** Virtual time stands still until `clock.advance`; real time runs. @default "virtual" */
  clock?: "virtual" | "real" | undefined;
  /**
   * Which prompts are answered by themselves, 3 s after they came: `magic` those of numbers that end
   * in one of `MAGIC_SUFFIXES`, `approve` all, `none` none.
   * @default "magic"
   */
  auto?: "magic" | "approve" | "none" | undefined;
  /** Bounds of an amount. @default 1 to 250,000 */
  limits?: { minAmount?: number | undefined; maxAmount?: number | undefined } | undefined;
  /** How long a receiver may take, in real milliseconds. @default 5_000 */
  deliveryTimeoutMs?: number | undefined;
  /** What sends deliveries, such as a receiver in the same process. @default the global `fetch` */
  deliver?: Deliver | undefined;
}

/** @throws {ConfigurationError} for a value that is none of the choices. */
export function checkChoice(what: string, value: unknown, choices: readonly unknown[]): void {
  if (choices.includes(value)) return;
  throw new ConfigurationError(
    `${what} is ${JSON.stringify(value)}. It takes ${choices.join(", ")}.`,
  );
}

/** @throws {ConfigurationError} for a wrong option. */
export function checkOptions(options: SandboxOptions): void {
  const names = ["seed", "clock", "auto", "limits", "deliveryTimeoutMs", "deliver"];
  checkFields(options, names, "A sandbox");
  checkFields(options.limits ?? {}, ["minAmount", "maxAmount"], "`limits`");
  const { clock = "virtual", auto = "magic" } = options;
  checkChoice("A sandbox's `clock`", clock, ["virtual", "real"]);
  checkChoice("A sandbox's `auto`", auto, ["magic", "approve", "none"]);
  for (const [name, bound = 0] of Object.entries(options.limits ?? {})) {
    if (typeof bound === "number" && Number.isFinite(bound) && bound >= 0) continue;
    throw new ConfigurationError(`\`limits.${name}\` is ${String(bound)}. It takes an amount.`);
  }
  if (options.deliver !== undefined && typeof options.deliver !== "function") {
    throw new ConfigurationError("`deliver` is not a function.");
  }
  const { deliveryTimeoutMs = 1 } = options;
  if (!(deliveryTimeoutMs > 0 && Number.isFinite(deliveryTimeoutMs))) {
    throw new ConfigurationError(
      `\`deliveryTimeoutMs\` is ${deliveryTimeoutMs}. It takes milliseconds above 0.`,
    );
  }
}
