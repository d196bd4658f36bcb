import { paint } from "./output.ts";

/** A sandbox that answers: what stands on the screen, in `--json` and in the ready file. */
export interface Ready {
  readonly url: string;
  readonly base_url: string;
  readonly page: string;
  readonly keys: { readonly public: string; readonly secret: string; readonly sandbox: string };
  readonly webhook_secret: string;
  readonly clock: "virtual" | "real";
  readonly auto: "approve" | "none" | "magic";
  readonly webhook: string | null;
  readonly state: string | null;
  readonly restored: boolean;
  readonly pid: number;
}

const STANDARD_URL = "http://127.0.0.1:4010";
const PHONE = "0712345678";

/** What to do next: whoever reads only this gets to a paid payment. */
export function banner(ready: Ready): string {
  const { url, base_url, page, keys, webhook_secret, auto, clock } = ready;
  const at = url === STANDARD_URL ? "" : ` --url ${url}`;
  const bold = (text: string) => paint("bold", text);
  const dim = (text: string) => paint("dim", text);
  const facts = [
    ["base URL", base_url],
    ["secret key", keys.secret],
    ["public key", keys.public],
    ["sandbox key", keys.sandbox],
    ["webhook secret", webhook_secret],
    ...(ready.webhook === null ? [] : [["webhooks go to", ready.webhook]]),
    ...(ready.state === null
      ? []
      : [["state", `${ready.state}${ready.restored ? ", taken up again" : ""}`]]),
  ];
  const time = `npx malipo clock advance 61s${at}`;
  const pay =
    auto === "approve"
      ? `The customer pays by itself, 3 s later.${clock === "virtual" ? ` Let them pass:\n\n  ${time}` : ""}`
      : `The phone is ringing: enter the PIN on the page, ${bold(page)}, or type:\n\n  npx malipo phone approve ${PHONE}${at}`;
  return `
${bold("A payment gateway is running on this machine.")}  The page: ${bold(page)}

${facts.map(([name, value]) => `  ${dim(`${name}`.padEnd(15))} ${value}`).join("\n")}

${bold("1. Ask for a payment")}, in another terminal:

  curl -s ${base_url}/mobile-money/payment/initiate \\
    -H "X-API-Key: ${keys.secret}" -H "Content-Type: application/json" \\
    -d '{"amount": 100, "phone": "${PHONE}"}'

${bold("2. Pay it.")} ${pay}

${bold("In TypeScript")}, both the asking and the waiting:

  import { Gateway } from "malipo";

  const gateway = new Gateway({
    apiKey: "${keys.secret}",
    baseUrl: "${base_url}",
  });
  const payment = await gateway.mobileMoney.collect({ amount: 100, phone: "${PHONE}" });
  console.log(payment.status); // "completed", once it is paid

${clock === "virtual" ? `Time stands still until it is moved: ${time}\n` : ""}${dim("What happens is written below. Ctrl-C stops it; malipo --help lists the other commands.")}
`;
}
