import type { PayPageTexts } from "./texts.ts";

const TRY_LATER =
  "Huduma haikuweza kupokea malipo haya. Tafadhali jaribu tena baada ya dakika chache.";
const LIMIT = "Malipo haya yanazidi kiwango cha juu cha akaunti yako.";
const NOT_YOU = "Malipo hayakuwezekana. Si kosa lako; tunashughulikia tatizo hili.";

export const SWAHILI: PayPageTexts = {
  language: "Kiswahili",
  locale: "sw",
  numbers: "1,500.00",
  payTitle: "Lipa {amount} kwa {merchant}",
  payHeading: "Lipa kwa {wallet}",
  order: "Agizo",
  amount: "Kiasi",
  phone: "Namba ya simu ya {wallet}",
  phoneHint: "Kwa mfano {example}",
  phoneInvalid: "Hii si namba ya simu ya mkononi. Iandike hivi: {example}.",
  phoneElsewhere: "Hii ni namba ya nchi nyingine. Tumia namba kama {example}.",
  pay: "Lipa {amount}",
  partReceived: "Tumepokea {received} kati ya {total}. Kiasi kilichobaki ni {amount}.",
  payAgain: "Jaribu tena",
  afterButton: "Tutatuma ombi kwenye simu hii. Utalipa tu baada ya kuweka PIN yako kwenye simu.",
  phoneAsks: "Kwenye simu yako",
  promptTo: "kwa {payee}",
  account: "Akaunti",
  onlyThis: "Kataa ombi lenye jina, kiasi au akaunti tofauti.",
  askedTitle: "Angalia simu yako",
  asked: "Weka PIN yako ya {wallet} kwenye {phone} ili kulipa {amount} kwa {merchant}.",
  nothingRings:
    "Ikiwa huoni ombi ndani ya dakika moja, hakikisha kuwa simu imewashwa na ina mtandao. Kisha ukurasa huu utakueleza la kufanya.",
  notYours: "Usimwambie mtu yeyote PIN yako. Kataa ombi ambalo hukulianzisha.",
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
  payingBackCanceled:
    "Agizo hili lilighairiwa. Tumepokea malipo ya agizo hili, na tutarudisha pesa. Usilipe tena.",
  payingBackElsewhere:
    "Agizo hili lililipwa kwa njia nyingine. Tumepokea malipo ya pili ya agizo hili, na tutarudisha pesa. Usilipe tena.",
  payingBackExpired:
    "Muda wa kulipa ulikuwa umekwisha. Tumepokea malipo ya agizo hili, na tutarudisha pesa. Usilipe tena.",
  paidMore:
    "Tumepokea pesa zaidi ya bei ya agizo hili. Tunaziangalia, na tutarudisha kiasi kilichozidi. Usilipe tena.",
  elsewhereTitle: "Agizo hili limelipwa",
  elsewhere: "Limelipwa kwa njia nyingine. Hakuna cha kulipa hapa.",
  receipt: "Risiti",
  otherReceipt: "Malipo mengine",
  refundReceipt: "Pesa zilizorudishwa",
  refundReference: "Namba ya kumbukumbu",
  paidBy: "Imelipwa kutoka",
  payment: "Malipo",
  transactionId: "Muamala wa {wallet}",
  paidAt: "Tarehe",
  print: "Chapisha risiti",
  goBack: "Rudi kwa {merchant}",
  notPaidTitle: "Bado hujalipa",
  notCharged: "Unaweza kutumia namba nyingine.",
  busy: "Simu hii haiwezi kupokea ombi kwa sasa. Jibu ombi lililo wazi kwenye simu, au likatae kama hukulianzisha. Unaweza kujaribu tena saa {time}, au kutumia namba nyingine sasa.",
  held: "Tumepokea pesa za agizo hili na tunaziangalia. Usilipe tena.",
  tooManyAttempts:
    "Kumekuwa na majaribio mengi mno ya kulipia agizo hili, na hakuna lililofanikiwa. Tafadhali wasiliana na {merchant}.",
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
    "Ombi hili halikutoka kwenye ukurasa wa kiungo chako, kwa hivyo hakuna ombi lililotumwa kwenye simu yako. Fungua kiungo chako na ujaribu tena.",
  failedTitle: "Kuna hitilafu upande wetu",
  failed:
    "Hakuna ombi lililotumwa kwenye simu yako mara hii. Fungua kiungo chako tena baada ya muda mfupi.",
  unsure:
    "Usilipe tena kwa sasa. Hatuwezi kujua sasa hivi kama ombi lilifika kwenye simu yako. Kama lilifika, unaweza kulijibu. Fungua kiungo chako tena baada ya dakika moja ili uone matokeo.",
  languages: "Lugha",
  reasons: {
    payment_failed: "Malipo hayakukamilika.",
    not_sent: "Ombi halikutumwa kwenye simu yako. Hukutozwa pesa. Tafadhali jaribu tena.",
    rejected_phone:
      "Ombi la malipo halikukubaliwa. Hukutozwa pesa. Angalia namba ya simu yako kisha ujaribu tena.",
    rejected_amount:
      "Kiasi hiki hakiwezi kuombwa kwa simu. Hukutozwa pesa. Tafadhali wasiliana nasi.",
    rejected_shop:
      "Hatukuweza kuomba malipo. Hukutozwa pesa. Si kosa lako; tunashughulikia tatizo hili.",
    service_busy:
      "Huduma ya malipo ina shughuli nyingi. Hukutozwa pesa. Tafadhali jaribu tena baada ya dakika chache.",
    last_payment_unchecked:
      "Hatukuweza kuangalia malipo yako ya mwisho. Tafadhali jaribu tena baada ya muda mfupi.",
    network_1: "Huna salio la kutosha kwenye akaunti yako. Ongeza pesa, kisha ujaribu tena.",
    network_2: "Kiasi hiki ni kidogo mno kulipwa kwa simu.",
    network_3: LIMIT,
    network_4: LIMIT,
    network_8: NOT_YOU,
    network_11: "Namba hii ya simu haiwezi kulipa. Tafadhali tumia nyingine.",
    network_12: NOT_YOU,
    network_15: "Tafadhali angalia kama tayari umelipa.",
    network_17: TRY_LATER,
    network_20: NOT_YOU,
    network_26: TRY_LATER,
    network_1001: "Kuna ombi jingine kwenye simu yako. Tafadhali lijibu au lifunge kwanza.",
    network_1019:
      "Muda wa ombi umekwisha. Tafadhali jaribu tena, na uweke PIN yako ndani ya dakika moja.",
    network_1025: TRY_LATER,
    network_1032: "Ulikataa ombi la malipo. Unaweza kujaribu tena.",
    network_1037:
      "Hatukuweza kuipata simu yako. Hakikisha imewashwa na ina mtandao, kisha ujaribu tena.",
    network_2001: "PIN haikuwa sahihi. Tafadhali jaribu tena.",
    network_2028: LIMIT,
    network_4999: "Malipo yako yanashughulikiwa. Tafadhali subiri kidogo.",
    network_9999: TRY_LATER,
  },
};
