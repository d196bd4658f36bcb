import type { ReasonCode } from "../rules/customer-messages.ts";

/** The words of the pay page in one language. Names in braces are filled in: `{amount}`, `{merchant}`. */
export interface PayPageTexts {
  /** What the language is called by those who speak it: the switch shows it. */
  readonly language: string;
  readonly payTitle: string;
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
  readonly payingBack: string;
  /** The order was canceled, since it was paid in another way. */
  readonly elsewhereTitle: string;
  readonly elsewhere: string;
  readonly receipt: string;
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
  readonly usedUp: string;
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

/** An order has its reasons in English, or in the words of the service. */
const ENGLISH: ShownTexts = {
  language: "English",
  payTitle: "Pay {amount} to {merchant}",
  order: "Order",
  amount: "Amount",
  phone: "{wallet} phone number",
  phoneHint: "For example {example}",
  phoneInvalid: "This is not the number of a mobile phone. Write it like {example}.",
  phoneElsewhere: "This is a number of another country. Use one like {example}.",
  pay: "Pay {amount}",
  partReceived: "We received {received} of {total}. {amount} is left to pay.",
  payAgain: "Try again",
  afterButton: "We send a request to this phone. You pay only after you enter your PIN there.",
  askedTitle: "Look at your phone",
  asked: "Enter your {wallet} PIN on {phone} to pay {amount} to {merchant}.",
  nothingRings:
    "If nothing appears within a minute, check that the phone is on and has network. This page then says what to do.",
  notYours: "Never tell anyone your PIN. Reject a request that you did not start.",
  updates: "This page updates by itself.",
  checkNow: "Check now",
  checkingTitle: "We are still checking",
  checking:
    "Do not pay again. We do not know yet whether the request reached your phone. If it did, you can answer it.",
  paidTitle: "Paid. Thank you.",
  paidBackTitle: "Paid back",
  paidBack: "We received your payment for this order, and paid it back.",
  refusedTitle: "You get your money back",
  refused:
    "We received your payment, but this order cannot be delivered. We will pay your money back.",
  payingBack: "We received a payment for this order, and will pay it back. Do not pay again.",
  elsewhereTitle: "This order is paid",
  elsewhere: "It was paid in another way. There is nothing to pay here.",
  receipt: "Receipt",
  paidBy: "Paid from",
  payment: "Payment",
  transactionId: "{wallet} code",
  paidAt: "Time",
  print: "Print the receipt",
  goBack: "Back to {merchant}",
  notPaidTitle: "Not paid yet",
  notCharged: "You can use another number.",
  busy: "This phone cannot be asked at the moment. Answer the request that is open on it, or reject it if you did not start it. You can try again at {time}, or use another number now.",
  held: "We received money for this order and are checking it. Do not pay again.",
  usedUp: "We have sent several requests for this order, and none was paid.",
  tooManyAttempts:
    "There were too many attempts to pay this order, and none was paid. Please contact {merchant}.",
  cannotPay: "This order cannot be paid here any more.",
  canceledTitle: "This order was canceled",
  canceled: "Nothing is to be paid.",
  expiredTitle: "The time to pay is over",
  expired: "Ask {merchant} for a new link if you still want to pay.",
  stillAsked: "If a request is open on your phone, reject it.",
  contact: "Questions? {merchant}: {contact}",
  unknownTitle: "This link does not work",
  unknown: "It is not complete, or its time is over. Ask {merchant} for a new one.",
  tooManyTitle: "Please wait a little",
  tooMany: "This link was used too often. Try again in ten minutes.",
  crossSiteTitle: "Please open your link again",
  crossSite:
    "This click did not come from the page of your link, so nothing was sent to your phone. Open your link and try again.",
  failedTitle: "Something went wrong here",
  failed: "Nothing was sent to your phone by this click. Open your link again in a moment.",
  unsure:
    "Do not pay again yet. We cannot say at the moment whether a request reached your phone. If one did, you can answer it. Open your link again in a minute to see what became of it.",
  languages: "Language",
  reasons: {},
};

const TRY_LATER_SW =
  "Huduma haikuweza kupokea malipo haya. Tafadhali jaribu tena baada ya dakika chache.";
const LIMIT_SW = "Malipo haya yanazidi kiwango cha juu cha akaunti yako.";
const NOT_YOU_SW = "Malipo hayakuwezekana. Hukufanya kosa lolote; tunalishughulikia.";

const SWAHILI: PayPageTexts = {
  language: "Kiswahili",
  payTitle: "Lipa {amount} kwa {merchant}",
  order: "Agizo",
  amount: "Kiasi",
  phone: "Namba ya simu ya {wallet}",
  phoneHint: "Kwa mfano {example}",
  phoneInvalid: "Hii si namba ya simu ya mkononi. Iandike hivi: {example}.",
  phoneElsewhere: "Hii ni namba ya nchi nyingine. Tumia namba kama {example}.",
  pay: "Lipa {amount}",
  partReceived: "Tumepokea {received} kati ya {total}. Kiasi kilichobaki ni {amount}.",
  payAgain: "Jaribu tena",
  afterButton: "Tutatuma ombi kwa simu hii. Utalipa tu baada ya kuweka PIN yako kwenye simu.",
  askedTitle: "Angalia simu yako",
  asked: "Weka PIN yako ya {wallet} kwenye {phone} ili kulipa {amount} kwa {merchant}.",
  nothingRings:
    "Ikiwa huoni ombi ndani ya dakika moja, hakikisha kuwa simu imewashwa na ina mtandao. Kisha ukurasa huu utakueleza la kufanya.",
  notYours: "Usimwambie mtu yeyote PIN yako. Kataa ombi ambalo hukulianzisha wewe.",
  updates: "Ukurasa huu unajisasisha wenyewe.",
  checkNow: "Angalia sasa",
  checkingTitle: "Bado tunaangalia",
  checking:
    "Usilipe tena. Bado hatujui kama ombi lilifika kwenye simu yako. Kama lilifika, unaweza kulijibu.",
  paidTitle: "Umelipa. Asante.",
  paidBackTitle: "Pesa zimerudishwa",
  paidBack: "Tulipokea malipo yako ya agizo hili, na tumerudisha pesa.",
  refusedTitle: "Utarudishiwa pesa zako",
  refused: "Tumepokea malipo yako, lakini agizo hili haliwezi kutimizwa. Tutakurudishia pesa zako.",
  payingBack: "Tumepokea malipo ya agizo hili, na tutarudisha pesa. Usilipe tena.",
  elsewhereTitle: "Agizo hili limelipwa",
  elsewhere: "Limelipwa kwa njia nyingine. Hakuna cha kulipa hapa.",
  receipt: "Risiti",
  paidBy: "Imelipwa kutoka",
  payment: "Malipo",
  transactionId: "Namba ya muamala",
  paidAt: "Saa",
  print: "Chapisha risiti",
  goBack: "Rudi kwa {merchant}",
  notPaidTitle: "Bado hujalipa",
  notCharged: "Unaweza kutumia namba nyingine.",
  busy: "Simu hii haiwezi kutumiwa ombi kwa sasa. Jibu ombi lililo wazi kwenye simu, au likatae kama hukulianzisha wewe. Unaweza kujaribu tena saa {time}, au kutumia namba nyingine sasa.",
  held: "Tumepokea pesa za agizo hili na tunaziangalia. Usilipe tena.",
  usedUp: "Tumetuma maombi kadhaa kwa agizo hili, na hakuna lililolipwa.",
  tooManyAttempts:
    "Kumekuwa na majaribio mengi mno ya kulipa agizo hili, na hakuna lililofanikiwa. Tafadhali wasiliana na {merchant}.",
  cannotPay: "Agizo hili haliwezi kulipiwa hapa tena.",
  canceledTitle: "Agizo hili limeghairiwa",
  canceled: "Hakuna cha kulipa.",
  expiredTitle: "Muda wa kulipa umekwisha",
  expired: "Mwombe {merchant} kiungo kipya kama bado unataka kulipa.",
  stillAsked: "Ikiwa kuna ombi kwenye simu yako, likatae.",
  contact: "Una swali? {merchant}: {contact}",
  unknownTitle: "Kiungo hiki hakifanyi kazi",
  unknown: "Kiungo hakijakamilika, au muda wake umekwisha. Mwombe {merchant} kiungo kipya.",
  tooManyTitle: "Tafadhali subiri kidogo",
  tooMany: "Kiungo hiki kimetumika mara nyingi mno. Jaribu tena baada ya dakika kumi.",
  crossSiteTitle: "Tafadhali fungua kiungo chako tena",
  crossSite:
    "Ombi hili halikutoka kwenye ukurasa wa kiungo chako, kwa hivyo hakuna kilichotumwa kwa simu yako. Fungua kiungo chako na ujaribu tena.",
  failedTitle: "Kuna hitilafu upande wetu",
  failed:
    "Hakuna ombi lililotumwa kwa simu yako safari hii. Fungua kiungo chako tena baada ya muda mfupi.",
  unsure:
    "Usilipe tena kwa sasa. Hatuwezi kujua sasa hivi kama ombi lilifika kwenye simu yako. Kama lilifika, unaweza kulijibu. Fungua kiungo chako tena baada ya dakika moja ili uone matokeo.",
  languages: "Lugha",
  reasons: {
    payment_failed: "Malipo hayakukamilika.",
    not_sent: "Ombi halikutumwa kwa simu yako. Hukutozwa pesa. Tafadhali jaribu tena.",
    rejected_phone:
      "Ombi la malipo halikukubaliwa. Hukutozwa pesa. Angalia namba ya simu yako kisha ujaribu tena.",
    rejected_amount:
      "Kiasi hiki hakiwezi kuombwa kwa simu. Hukutozwa pesa. Tafadhali wasiliana nasi.",
    rejected_shop:
      "Hatukuweza kuomba malipo. Hukutozwa pesa. Hukufanya kosa lolote; tunalishughulikia.",
    service_busy:
      "Huduma ya malipo ina shughuli nyingi. Hukutozwa pesa. Tafadhali jaribu tena baada ya dakika chache.",
    last_payment_unchecked:
      "Hatukuweza kuangalia malipo yako ya mwisho. Tafadhali jaribu tena baada ya muda mfupi.",
    network_1: "Huna salio la kutosha kwenye akaunti yako. Ongeza pesa, kisha ujaribu tena.",
    network_2: "Kiasi hiki ni kidogo mno kulipwa kwa simu.",
    network_3: LIMIT_SW,
    network_4: LIMIT_SW,
    network_8: NOT_YOU_SW,
    network_11: "Namba hii ya simu haiwezi kulipa. Tafadhali tumia nyingine.",
    network_12: NOT_YOU_SW,
    network_15: "Tafadhali hakikisha kama tayari umelipa.",
    network_17: TRY_LATER_SW,
    network_20: NOT_YOU_SW,
    network_26: TRY_LATER_SW,
    network_1001: "Kuna ombi jingine kwenye simu yako. Tafadhali lijibu au lifunge kwanza.",
    network_1019:
      "Muda wa ombi umekwisha. Tafadhali jaribu tena, na uweke PIN yako ndani ya dakika moja.",
    network_1025: TRY_LATER_SW,
    network_1032: "Ulikataa ombi la malipo. Unaweza kujaribu tena.",
    network_1037:
      "Hatukuweza kuipata simu yako. Hakikisha imewashwa na ina mtandao, kisha ujaribu tena.",
    network_2001: "PIN haikuwa sahihi. Tafadhali jaribu tena.",
    network_2028: LIMIT_SW,
    network_4999: "Malipo yako yanashughulikiwa. Tafadhali subiri kidogo.",
    network_9999: TRY_LATER_SW,
  },
};

/** The words of a merchant: a language of his, or other words in one that is there. */
export type PayPageMessages = Readonly<Record<string, PayPageOwnTexts>>;

/** All languages, by their code. What a language lacks is English. */
export function textsOf(own: PayPageMessages = {}): ReadonlyMap<string, ShownTexts> {
  const languages = new Map<string, ShownTexts>([
    ["en", ENGLISH],
    ["sw", SWAHILI],
  ]);
  for (const [code, changed] of Object.entries(own)) {
    const base = languages.get(code) ?? ENGLISH;
    const reasons = { ...base.reasons, ...changed.reasons };
    languages.set(code, { ...base, ...changed, reasons });
  }
  return languages;
}

/** The language of a request: the one that was chosen, else the first one that the browser asks for. */
export function languageOf(
  chosen: string | null,
  accepted: string | null,
  known: ReadonlyMap<string, unknown>,
): string {
  if (chosen !== null && known.has(chosen)) return chosen;
  const wanted = (accepted ?? "")
    .split(",")
    .map((one) => {
      const [tag = "", quality = "q=1"] = one
        .toLowerCase()
        .split(";")
        .map((part) => part.trim());
      return { code: tag.split("-")[0] ?? "", weight: Number(quality.slice(2)) || 0 };
    })
    .filter(({ code, weight }) => weight > 0 && known.has(code))
    .sort((a, b) => b.weight - a.weight);
  return wanted[0]?.code ?? "en";
}
