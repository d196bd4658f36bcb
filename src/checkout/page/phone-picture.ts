import { type Html, html } from "../../html/html.ts";
import { filled } from "../rules/customer-messages.ts";
import type { Words } from "./words.ts";

/**
 * The request as it stands on the customer's phone, in the look of the sandbox's phone: he rejects what differs from it.
 *
 * @param amount - As the page writes it.
 * @param account - The label of the payment.
 */
export function phonePicture({ texts, settings }: Words, amount: string, account: string): Html {
  const { name, promptName: payee = name } = settings.merchant;
  return html`<figure><figcaption>${texts.phoneAsks}</figcaption><div class="device"><div class="screen"><div class="dialog"><p class="ask"><b class="amount">${amount}</b> ${filled(texts.promptTo, { payee })}</p><p class="hint">${texts.account} <b>${account}</b></p><p class="pin" aria-hidden="true">• • • •</p></div></div></div><p class="hint">${texts.onlyThis}</p></figure>`;
}
