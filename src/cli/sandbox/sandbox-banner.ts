import { paint } from "../terminal/output.ts";
import { formatFields } from "../terminal/table.ts";
import type { Ready } from "./sandbox-settings.ts";

const PHONE = "0712345678";

const bold = (text: string) => paint("bold", text);
const dim = (text: string) => paint("dim", text);

/** What the flags have changed; `undefined` if there is nothing to say. */
function settings(ready: Ready, urlFlag: string): string | undefined {
  const { webhook, profile, state, restored, clock } = ready;
  const text = formatFields([
    ["webhooks go to", webhook ?? undefined],
    ["responds like", profile ?? undefined],
    ["state", state === null ? undefined : `${state}${restored ? " (restored)" : ""}`],
    ["virtual clock", clock === "virtual" ? `npx malipo clock advance 61s${urlFlag}` : undefined],
  ]);
  return text === "" ? undefined : text;
}

/** How a customer pays the first payment. */
const howToPay = ({ auto }: Ready, urlFlag: string): string =>
  auto === "approve"
    ? dim("# The customer pays automatically after 3 s.")
    : `npx malipo phone approve ${PHONE}${urlFlag}   ${dim("# or enter the PIN on the page")}`;

const newKeysNote = ({ is_new, state }: Ready): string | undefined =>
  is_new && state === null
    ? "The keys are new in this run: write .env again. To keep them: --state sandbox.json"
    : undefined;

const NETWORK_VARIABLES =
  "It sets MALIPO_BASE_URL, MALIPO_API_KEY, MALIPO_WEBHOOK_SECRET and MALIPO_TEST_NETWORK=1.";

/**
 * The first steps of a new user, to a paid payment. The keys are on the page, and `malipo env` prints them.
 *
 * @param isFound - Commands that are run in this folder find this sandbox without `--url`.
 */
export function banner(ready: Ready, isFound: boolean): string {
  const { url, network_url } = ready;
  const isNetwork = network_url !== null;
  // A loopback address hands out the secret key, and leads to nothing in another container.
  const urlFlag = !isNetwork && isFound ? "" : ` --url ${network_url ?? url}`;
  const note = newKeysNote(ready);
  return [
    `${bold("A payment gateway is running on this machine:")} ${bold(ready.page)}`,
    settings(ready, urlFlag),
    "",
    `For your shop${isNetwork ? ", in its container" : ""}:  npx malipo env --write .env${urlFlag}`,
    isNetwork ? NETWORK_VARIABLES : undefined,
    `${bold("A first payment")}, in ${isNetwork ? "a shell of another container" : "another terminal in this folder"}:`,
    "",
    `  eval "$(npx malipo env${urlFlag})"`,
    `  npx malipo payments initiate --amount 100 --phone ${PHONE}`,
    `  ${howToPay(ready, urlFlag)}`,
    "",
    note && dim(note),
    dim("Payments and deliveries follow. Ctrl-C stops it. npx malipo --help lists all commands."),
  ]
    .filter((line) => line !== undefined)
    .join("\n");
}
