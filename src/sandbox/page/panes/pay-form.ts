import { kenyanMobile } from "../../payments/phone-number.ts";
import { form, typed } from "../components.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../view.ts";

interface PayFormPlace {
  readonly context: PageContext;
  readonly action: "pay";
  readonly at: string;
}

/** Starts a payment as a merchant would. */
export function payForm(place: PayFormPlace): Html {
  const number = kenyanMobile(place.context.view.phone);
  const value = (field: string, initial: string) => typed(place, field, initial);
  return form(
    { ...place, name: "grid", label: "Start a payment", showsError: true },
    html`<label>Amount, KES<input name="amount" inputmode="decimal" value="${value("amount", "1500")}" required autocomplete="off"></label>
<label>Phone<input name="phone" inputmode="tel" value="${value("phone", number === undefined ? "0712 345 678" : `0${number.slice(3)}`)}" required autocomplete="off"></label>
<label>Account reference<input name="account_reference" maxlength="12" value="${value("account_reference", "ORDER-42")}" autocomplete="off"></label>
<label>Description<input name="description" value="${value("description", "")}" autocomplete="off"></label>
<button class="primary">Send the prompt</button>`,
  );
}
