import { formatFields, paint } from "../terminal/output.ts";
import type { Ready } from "./sandbox-settings.ts";

const PHONE = "0712345678";

const bold = (text: string) => paint("bold", text);
const dim = (text: string) => paint("dim", text);

const addresses = ({ url, base_url, keys, webhook_secret, ...ready }: Ready): string =>
  formatFields([
    ["base URL", base_url],
    ["secret key", keys.secret],
    ["public key", keys.public],
    ["sandbox key", keys.sandbox],
    ["webhook secret", webhook_secret],
    ["API page", `${url}/docs`],
    ["receiver", ready.webhook ?? undefined],
    ["responds like", ready.profile ?? undefined],
    [
      "state file",
      ready.state ? `${ready.state}${ready.restored ? " (restored)" : ""}` : undefined,
    ],
  ]);

function howToPay({ page, auto, clock }: Ready, urlFlag: string, advance: string): string {
  if (auto !== "approve") {
    return `The phone is ringing. Enter the PIN on the page, ${bold(page)}, or run:\n\n  npx malipo phone approve ${PHONE}${urlFlag}`;
  }
  const automatic = "The customer pays automatically after 3 s.";
  return clock === "real" ? automatic : `${automatic} Move the clock:\n\n  ${advance}`;
}

function newKeysNote({ is_new, state }: Ready): string {
  if (!is_new) return "";
  const how = state === null ? "To keep them: --state sandbox.json" : `They stay in ${state}.`;
  return `\n  ${dim(`Keys and references are new in this run. ${how}`)}\n`;
}

/** Lines that a shell takes as they are, and the command that writes them into a file. */
function environment({ base_url, keys, webhook_secret }: Ready, urlFlag: string): string {
  const variables = {
    MALIPO_BASE_URL: base_url,
    MALIPO_API_KEY: keys.secret,
    MALIPO_WEBHOOK_SECRET: webhook_secret,
  };
  const lines = Object.entries(variables).map(([name, value]) => `  export ${name}=${value}`);
  const write = `npx malipo env --write .env${urlFlag}`;
  return `${dim("For your shell:")}\n\n${lines.join("\n")}\n\n${dim("For a .env file:")}\n\n  ${write}`;
}

/**
 * The first steps, with everything filled in: a new user gets to a paid payment with it.
 *
 * @param isFound - Commands that are run in this folder find this sandbox without `--url`.
 */
export function banner(ready: Ready, isFound: boolean): string {
  const { url, base_url, page, keys, clock } = ready;
  const urlFlag = isFound ? "" : ` --url ${url}`;
  const advance = `npx malipo clock advance 61s${urlFlag}`;
  return `
${bold("A payment gateway is running on this machine.")}  The page: ${bold(page)}

${addresses(ready)}
${newKeysNote(ready)}
${environment(ready, urlFlag)}

${bold("1. Start a payment")} in another terminal, in this folder:

  curl -s ${base_url}/mobile-money/payment/initiate \\
    -H "X-API-Key: ${keys.secret}" -H "Content-Type: application/json" \\
    -d '{"amount": 100, "phone": "${PHONE}"}'

${bold("2. Pay it.")} ${howToPay(ready, urlFlag, advance)}

${bold("In TypeScript")}, start a payment and wait for it:

  import { Gateway } from "malipo";

  const gateway = new Gateway({
    apiKey: "${keys.secret}",
    baseUrl: "${base_url}",
  });
  const payment = await gateway.mobileMoney.collect({ amount: 100, phone: "${PHONE}" });
  console.log(payment.status); // "completed" when it is paid

${clock === "virtual" ? `The clock is virtual. Move it with: ${advance}\n` : ""}${dim("Payments and deliveries are logged below. Press Ctrl-C to stop. malipo --help lists the other commands.")}
`;
}
