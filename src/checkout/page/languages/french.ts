import type { PayPageTexts } from "./texts.ts";

// French has a space before a colon, and a narrow one before other double marks: no line breaks at either.

const TRY_LATER =
  "Le service n’a pas pu traiter ce paiement. Veuillez réessayer dans quelques minutes.";
const LIMIT = "Ce paiement dépasse un plafond de votre compte.";
const NOT_YOU =
  "Le paiement n’a pas pu être effectué. Vous n’y êtes pour rien, et nous nous en occupons.";

export const FRENCH: PayPageTexts = {
  language: "Français",
  locale: "fr",
  numbers: "1 500,00",
  payTitle: "Payer {amount} à {merchant}",
  payHeading: "Payer avec {wallet}",
  order: "Commande",
  amount: "Montant",
  phone: "Numéro {wallet}",
  phoneHint: "Par exemple {example}",
  phoneInvalid: "Ce n’est pas un numéro de téléphone mobile. Écrivez-le ainsi\u00a0: {example}.",
  phoneElsewhere: "Ce numéro est celui d’un autre pays. Utilisez un numéro comme {example}.",
  pay: "Payer {amount}",
  partReceived: "Nous avons reçu {received} sur {total}. Il reste {amount} à payer.",
  payAgain: "Réessayer",
  afterButton:
    "Nous envoyons une demande de paiement sur ce téléphone. Vous ne payez qu’après y avoir saisi votre code PIN.",
  phoneAsks: "Sur votre téléphone",
  promptTo: "à {payee}",
  account: "Compte",
  onlyThis: "Refusez toute demande avec un autre nom, un autre montant ou un autre compte.",
  askedTitle: "Regardez votre téléphone",
  asked: "Saisissez votre code PIN {wallet} sur le {phone} pour payer {amount} à {merchant}.",
  nothingRings:
    "Si rien ne s’affiche au bout d’une minute, vérifiez que le téléphone est allumé et qu’il a du réseau. Cette page vous dira alors quoi faire.",
  notYours:
    "Ne donnez votre code PIN à personne. Refusez une demande que vous n’avez pas faite vous-même.",
  updates: "Cette page se met à jour toute seule.",
  checkNow: "Vérifier maintenant",
  checkingTitle: "Vérification en cours",
  checking:
    "Ne payez pas de nouveau. Nous ne savons pas encore si la demande est arrivée sur votre téléphone. Si elle s’y affiche, vous pouvez y répondre.",
  paidTitle: "C’est payé. Merci\u202f!",
  paidBackTitle: "Paiement remboursé",
  paidBack: "Nous avons reçu votre paiement pour cette commande, et nous l’avons remboursé.",
  refusedTitle: "Remboursement à venir",
  refused:
    "Nous avons reçu votre paiement, mais nous ne pouvons pas livrer cette commande. Votre argent vous sera rendu.",
  payingBackCanceled:
    "Cette commande a été annulée. Nous avons pourtant reçu un paiement, et nous allons le rembourser. Ne payez pas de nouveau.",
  payingBackElsewhere:
    "Cette commande a été réglée autrement. Nous avons reçu un second paiement, et nous allons le rembourser. Ne payez pas de nouveau.",
  payingBackExpired:
    "Votre paiement nous est parvenu après le délai, et nous allons le rembourser. Ne payez pas de nouveau.",
  paidMore:
    "Nous avons reçu plus que le prix de cette commande. Nous vérifions, et nous vous rembourserons le trop-perçu. Ne payez pas de nouveau.",
  elsewhereTitle: "Commande réglée",
  elsewhere: "Elle a été réglée autrement. Il n’y a rien à payer ici.",
  receipt: "Reçu",
  otherReceipt: "Autre paiement",
  refundReceipt: "Remboursement",
  refundReference: "Référence",
  paidBy: "Payé depuis",
  payment: "Paiement",
  transactionId: "Transaction {wallet}",
  paidAt: "Date",
  print: "Imprimer le reçu",
  goBack: "Retour à {merchant}",
  notPaidTitle: "Pas encore payé",
  notCharged: "Vous pouvez utiliser un autre numéro.",
  busy: "Ce téléphone ne peut pas recevoir de demande pour le moment. Répondez à la demande qui s’y affiche, ou refusez-la si elle ne vient pas de vous. Vous pourrez réessayer à {time}, ou utiliser un autre numéro dès maintenant.",
  held: "Nous avons reçu un paiement pour cette commande, et nous le vérifions. Ne payez pas de nouveau.",
  tooManyAttempts:
    "Il y a eu trop de tentatives de paiement pour cette commande, et aucune n’a abouti. Veuillez contacter {merchant}.",
  cannotPay: "Cette commande ne peut plus être payée ici.",
  canceledTitle: "Commande annulée",
  canceled: "Il n’y a rien à payer.",
  expiredTitle: "Délai de paiement écoulé",
  expired: "Si vous souhaitez toujours payer, demandez un nouveau lien à {merchant}.",
  stillAsked: "Si une demande s’affiche sur votre téléphone, refusez-la.",
  contact: "Une question\u202f? {merchant}\u00a0: {contact}",
  unknownTitle: "Ce lien ne fonctionne pas",
  unknown: "Il est incomplet, ou il n’est plus valable. Demandez-en un nouveau à {merchant}.",
  tooManyTitle: "Patientez un instant",
  tooMany: "Ce lien a été utilisé trop souvent. Réessayez dans dix minutes.",
  crossSiteTitle: "Veuillez rouvrir votre lien",
  crossSite:
    "Ce clic ne venait pas de la page de votre lien. Rien n’a donc été envoyé à votre téléphone. Rouvrez votre lien et réessayez.",
  failedTitle: "Une erreur s’est produite chez nous",
  failed: "Ce clic n’a rien envoyé à votre téléphone. Rouvrez votre lien dans un instant.",
  unsure:
    "Ne payez pas de nouveau pour l’instant. Nous ne pouvons pas dire pour le moment si une demande est arrivée sur votre téléphone. Si une demande s’y affiche, vous pouvez y répondre. Rouvrez votre lien dans une minute pour savoir où en est le paiement.",
  languages: "Langue",
  reasons: {
    payment_failed: "Le paiement n’a pas abouti.",
    not_sent:
      "La demande n’a pas été envoyée à votre téléphone. Votre compte n’a pas été débité. Veuillez réessayer.",
    rejected_phone:
      "La demande de paiement n’a pas été acceptée. Votre compte n’a pas été débité. Vérifiez votre numéro de téléphone et réessayez.",
    rejected_amount:
      "Ce montant ne peut pas être demandé par téléphone. Votre compte n’a pas été débité. Veuillez nous contacter.",
    rejected_shop:
      "Nous n’avons pas pu demander le paiement. Votre compte n’a pas été débité. Vous n’y êtes pour rien, et nous nous en occupons.",
    service_busy:
      "Le service de paiement est saturé. Votre compte n’a pas été débité. Veuillez réessayer dans quelques minutes.",
    last_payment_unchecked:
      "Nous n’avons pas pu vérifier votre dernier paiement. Veuillez réessayer dans un instant.",
    network_1: "Le solde de votre compte est insuffisant. Rechargez-le, puis réessayez.",
    network_2: "Ce montant est trop faible pour être payé par téléphone.",
    network_3: LIMIT,
    network_4: LIMIT,
    network_8: NOT_YOU,
    network_11: "Ce numéro ne peut pas payer. Veuillez en utiliser un autre.",
    network_12: NOT_YOU,
    network_15: "Veuillez vérifier si vous avez déjà payé.",
    network_17: TRY_LATER,
    network_20: NOT_YOU,
    network_26: TRY_LATER,
    network_1001:
      "Une autre demande est en attente sur votre téléphone. Veuillez d’abord y répondre ou la fermer.",
    network_1019:
      "La demande a expiré. Veuillez réessayer et saisir votre code PIN dans la minute.",
    network_1025: TRY_LATER,
    network_1032: "Vous avez annulé la demande de paiement. Vous pouvez réessayer.",
    network_1037:
      "Nous n’avons pas pu joindre votre téléphone. Vérifiez qu’il est allumé et qu’il a du réseau, puis réessayez.",
    network_2001: "Le code PIN était incorrect. Veuillez réessayer.",
    network_2028: LIMIT,
    network_4999: "Votre paiement est en cours de traitement. Veuillez patienter un instant.",
    network_9999: TRY_LATER,
  },
};
