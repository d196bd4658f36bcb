import { form } from "../components.ts";
import { type Html, html } from "../html.ts";
import type { View } from "../view.ts";

/** Starts a payment as a merchant would. */
export const payForm = (view: View, at: string): Html =>
  form(
    { action: "pay", view, at, name: "grid", label: "Start a payment" },
    html`<label>Amount, KES<input name="amount" inputmode="decimal" value="1500" required autocomplete="off"></label>
<label>Phone<input name="phone" inputmode="tel" value="${view.phone === "" ? "0712 345 678" : `0${view.phone.slice(3)}`}" required autocomplete="off"></label>
<label>Account reference<input name="account_reference" maxlength="12" value="ORDER-42" autocomplete="off"></label>
<label>Description<input name="description" value="" autocomplete="off"></label>
<button class="primary">Send the prompt</button>`,
  );
