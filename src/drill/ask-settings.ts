import { createInterface } from "node:readline/promises";
import { DRILL_OPTIONS } from "./options.ts";

/** The options that `--init` asks for. The others have defaults that most shops keep. */
const ASKED = [
  "start",
  "order",
  "order-id",
  "status",
  "paid",
  "failed",
  "open",
  "effects",
  "webhook",
];

/** Asks for the settings of a shop, one line each. An empty line takes the default. */
export async function askSettings(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<Record<string, string>> {
  const lines = createInterface({ input });
  const answers = lines[Symbol.asyncIterator]();
  const settings: Record<string, string> = {};
  for (const name of ASKED) {
    const option = DRILL_OPTIONS.find((one) => one.name === name);
    const without = option?.default ?? option?.fallback;
    output.write(`${name}: ${option?.summary}${without === undefined ? "" : ` [${without}]`}\n> `);
    const { value = "", done } = await answers.next();
    if (String(value).trim() !== "") settings[name] = String(value).trim();
    if (done) break;
  }
  lines.close();
  return settings;
}
