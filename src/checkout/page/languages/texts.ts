import type { ReasonCode } from "../../rules/customer-messages.ts";

/** The words of the pay page in one language. Names in braces are filled in: `{amount}`, `{merchant}`. */
export interface PayPageTexts {
  /** What the language is called by those who speak it: the switch shows it. */
  readonly language: string;
  /** The locale by which times are written: a BCP 47 tag. */
  readonly locale: string;
  /** How amounts are written: `KES 1,500.00` or `1 500,00 KES`. */
  readonly numbers: "1,500.00" | "1 500,00";
  readonly payTitle: string;
  /** What the page asks for, above its form. */
  readonly payHeading: string;
  readonly order: string;
  readonly amount: string;
  readonly phone: string;
  /** Also `{example}`, a number as it is written in the country. */
  readonly phoneHint: string;
  /** Also `{example}`. */
  readonly phoneInvalid: string;
  /** It is a number of another country. Also `{example}`. */
  readonly phoneElsewhere: string;
  readonly pay: string;
  /** What is left to pay after a part. Also `{received}` and `{total}`. */
  readonly partReceived: string;
  readonly payAgain: string;
  readonly afterButton: string;
  /** Above the picture of a phone that shows the request. */
  readonly phoneAsks: string;
  /** What stands on the phone, below the amount. Also `{payee}`. */
  readonly promptTo: string;
  /** The label of the payment, as the phone names it. */
  readonly account: string;
  /** Which requests are not this one. */
  readonly onlyThis: string;
  readonly askedTitle: string;
  /** Also `{phone}`, masked, and `{wallet}`. */
  readonly asked: string;
  readonly nothingRings: string;
  readonly notYours: string;
  readonly updates: string;
  readonly checkNow: string;
  readonly checkingTitle: string;
  readonly checking: string;
  readonly paidTitle: string;
  readonly paidBackTitle: string;
  readonly paidBack: string;
  readonly refusedTitle: string;
  /** The shop cannot give the goods, and has not paid the money back yet. */
  readonly refused: string;
  /** Money came after the end of the order. */
  readonly payingBackCanceled: string;
  /** A second payment came for an order that was paid in another way. */
  readonly payingBackElsewhere: string;
  readonly payingBackExpired: string;
  /** More came than the amount of a paid order, and a person has not decided about it yet. */
  readonly paidMore: string;
  /** The order was canceled, since it was paid in another way. */
  readonly elsewhereTitle: string;
  readonly elsewhere: string;
  readonly receipt: string;
  /** A payment beside the one that paid the order. */
  readonly otherReceipt: string;
  /** Money that was paid back. */
  readonly refundReceipt: string;
  readonly refundReference: string;
  readonly paidBy: string;
  readonly payment: string;
  /** The id of the payment in the network, as the customer has it in his message. */
  readonly transactionId: string;
  readonly paidAt: string;
  readonly print: string;
  /** A link to the shop: see `returnUrl`. */
  readonly goBack: string;
  readonly notPaidTitle: string;
  readonly notCharged: string;
  /** Also `{time}`. */
  readonly busy: string;
  readonly held: string;
  readonly tooManyAttempts: string;
  readonly cannotPay: string;
  readonly canceledTitle: string;
  readonly canceled: string;
  readonly expiredTitle: string;
  readonly expired: string;
  readonly stillAsked: string;
  readonly contact: string;
  readonly unknownTitle: string;
  readonly unknown: string;
  readonly tooManyTitle: string;
  readonly tooMany: string;
  readonly crossSiteTitle: string;
  readonly crossSite: string;
  readonly failedTitle: string;
  /** A form was not taken, and it is certain that it has sent nothing. */
  readonly failed: string;
  /** The page failed, and it is not known whether a request was sent before. */
  readonly unsure: string;
  readonly languages: string;
  /** Why the last request brought no money. */
  readonly reasons: Readonly<Record<ReasonCode, string>>;
}

/** Words of a merchant. What he leaves out is as it was, or English in a language that the page does not have. */
export interface PayPageOwnTexts extends Partial<Omit<PayPageTexts, "reasons">> {
  readonly reasons?: Partial<PayPageTexts["reasons"]>;
}

/** The words of a language with those of the merchant. A reason without words is shown as the order has it. */
export type ShownTexts = Required<PayPageOwnTexts>;

/** The words of a merchant: a language of his, or other words in one that is there. */
export type PayPageMessages = Readonly<Record<string, PayPageOwnTexts>>;
