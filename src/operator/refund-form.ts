// The form on the page of an order that notes what a person has paid back.
import { checkRefund } from "../checkout/orders/manage-refunds.ts";
import { centsOf, isNothing } from "../checkout/rules/amounts.ts";
import { refundText } from "../checkout/rules/history.ts";
import type { Order } from "../checkout/rules/order-types.ts";
import { type Html, html, type Part } from "../html/html.ts";
import { groupedAmount } from "../internal/amount-text.ts";
import { maskPhones } from "../internal/phone-digits.ts";
import { DECISIONS } from "./case-words.ts";
import type { Choice, DecisionNote, Sources } from "./entry.ts";
import { amountText, link } from "./wording.ts";

/** What the form sends, beside the order. */
export interface RefundFields {
  readonly amount: string;
  /** As a person typed it; without it, the refund is named by the form. */
  readonly reference?: string | undefined;
  readonly reason?: string | undefined;
  /** Names the form: one that is sent again is the same refund. */
  readonly form: string;
  /** What was left to pay back when the page was shown. */
  readonly left: string;
}

/** The list and the action that the form names. */
export const REFUND = { list: "order", action: "refund" } as const;

/** Whether a form was sent again, as it was. */
export const isSameRefund = (one: RefundFields | undefined, other: RefundFields | undefined) =>
  one?.form === other?.form && one?.amount === other?.amount && one?.reference === other?.reference;

/** A person has noted the same refund before. */
export class RefundNotedError extends Error {
  /** Who. */
  readonly by: string | undefined;

  constructor(message: string, by: string | undefined) {
    super(message);
    this.by = by;
  }
}

const THOUSANDS = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

const sentIn = (form: URLSearchParams, name: string) => (form.get(name) ?? "").trim();

/** What a person says with a decision. The log of decisions has no phone of a customer. */
export function noteIn(form: URLSearchParams): DecisionNote {
  const [reference, reason] = [sentIn(form, "reference"), maskPhones(sentIn(form, "reason"))];
  return { ...(reference !== "" && { reference }), ...(reason !== "" && { reason }) };
}

/** What was sent. */
export function refundIn(form: URLSearchParams): RefundFields {
  const amount = sentIn(form, "amount");
  return {
    amount: THOUSANDS.test(amount) ? amount.replaceAll(",", "") : amount,
    ...noteIn(form),
    form: sentIn(form, "form"),
    left: sentIn(form, "left"),
  };
}

/** A field of a form, with its label. */
const field = (name: string, label: Part, value: string | undefined, more: Part): Html =>
  html`<label for="${name}">${label}</label><input id="${name}" name="${name}" value="${value ?? ""}" autocomplete="off"${more}>`;

/** The fields of what a person may say with a decision. */
export const noteFields = (
  names: readonly (keyof DecisionNote)[],
  typed: DecisionNote | undefined,
): Part =>
  names.map((name) =>
    name === "reference"
      ? field(
          name,
          html`Reference of the refund, such as its <span class="name">M-Pesa</span> code (optional)`,
          typed?.reference,
          html` maxlength="250"`,
        )
      : field(name, "Reason, for your staff (optional)", typed?.reason, html` maxlength="500"`),
  );

/** A name that the customer may read, too. */
const newName = () => `R-${crypto.randomUUID().slice(0, 8).toUpperCase()}`;

/**
 * The form, folded, if anything is left to pay back. The person types what was paid back: no amount of an order says
 * it.
 *
 * @param typed - What was sent and could not be used.
 */
export function refundForm(order: Order, typed: RefundFields | undefined): Part {
  const { id, received, currency, refunds, reviews } = order;
  if (isNothing(received)) return false;
  const isUsed = refunds.some(({ reference }) => reference === typed?.form);
  const form = typed === undefined || isUsed ? newName() : typed.form;
  const amount = field(
    "amount",
    html`Amount in ${currency}, at most ${groupedAmount(received)}`,
    typed?.amount,
    html` inputmode="decimal" required`,
  );
  const isOfCase = reviews.some(({ kind }) => DECISIONS[kind]?.refunded !== undefined);
  return html`<details${typed !== undefined && html` open`}><summary>Note a refund</summary><form method="post" action="${link({ order: id })}" class="refund"><p class="hint">Pay the money back first, in the dashboard of the payment service or by mobile money. This is a record: it moves no money.${isOfCase && " Is it the money of the case that waits? Then say so there, and not here."}</p><input type="hidden" name="list" value="${REFUND.list}"><input type="hidden" name="id" value="${id}"><input type="hidden" name="form" value="${form}"><input type="hidden" name="left" value="${received}">${amount}${noteFields(["reference", "reason"], typed)}<button name="action" value="${REFUND.action}" class="primary">Note as paid back</button></form></details>`;
}

/** The refund that a form asks for, as far as it can be noted now. Rejects if it cannot. */
export async function chooseRefund(
  { checkout }: Sources,
  id: string,
  { form, left, reference: typed, ...fields }: RefundFields,
): Promise<{ choice: Choice; ids: readonly string[]; about: string; orderId: string }> {
  const order = await checkout?.inspect(id);
  if (checkout === undefined || order === undefined) throw new Error("This order does not exist.");
  const { received, currency, refunds, effect } = order;
  // The handler rejects a person without a name, and adds it.
  const checked = checkRefund({ ...fields, reference: typed ?? (form || undefined), by: "-" });
  const { amount, reference } = checked;
  const known = refunds.find((one) => one.reference === reference);
  if (reference !== undefined && known !== undefined) {
    const noted = `The refund ${reference} was noted before, by ${known.by ?? "someone"}`;
    if (known.amount === amount) throw new RefundNotedError(`${noted}.`, known.by);
    throw new Error(`${noted}, with ${amountText(known.amount, known.currency)}.`);
  }
  if (left !== received) {
    throw new Error(
      `The money of this order has changed since the page was shown: ${amountText(received, currency)} is left. Look at it again.`,
    );
  }
  if (centsOf(amount) > centsOf(received)) {
    throw new Error(
      `${amountText(amount, currency)} is more than the ${amountText(received, currency)} that came and was not paid back.`,
    );
  }
  const text = refundText(checked, currency);
  const endsGoods = effect === "due" && amount === received;
  const goods = endsGoods ? " The goods will not be given any more." : "";
  const choice: Choice = {
    action: REFUND.action,
    label: "Note as paid back",
    says: () =>
      `${text.replace("was noted", "will be noted")}${goods} Pay it back first: this moves no money.`,
    done: () => text,
    isLogged: true,
    run: (_, by = "", line) => checkout.refunds.add(id, { ...checked, by }, { line }),
  };
  return { choice, ids: [id], about: `Order ${id}`, orderId: id };
}
