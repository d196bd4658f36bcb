/** A case of a cashier on the operator's page, and the right answer. */
export interface CashierCase {
  /** What the cashier is told, by a customer or by the page. */
  readonly told: string;
  /** What she types into the search. */
  readonly query: string;
  /** Words of the row that she opens. */
  readonly row: string;
  /** What stands on the page of the case, and decides it. */
  readonly reads: readonly string[];
  /** The right answer: the button that she presses. */
  readonly answer: string;
  /** What the page says after that. */
  readonly done: string;
}

/** Ten cases of the shop in test/operator/shop-night.ts, each with its right answer. */
export const CASHIER_CASES: readonly CashierCase[] = [
  {
    told: "I paid twice. The second message has the code ERTGFL0X1U. She pays it back in the dashboard.",
    query: "ERTGFL0X1U",
    row: "more came",
    reads: ["ERTGFL0X1U", "0712 *** 678", "KES 1,500.00 more came.", "Pay KES 1,500.00 back."],
    answer: "I have paid it back",
    done: "noted as paid back",
  },
  {
    told: "The second payment was for my sister’s order, which you gave me without paying.",
    query: "TWICE-2",
    row: "more came",
    reads: ["Keep the money only if it is for something else."],
    answer: "Keep the money",
    done: "The money stays with the shop.",
  },
  {
    told: "The customer paid KES 1.00 for an order of KES 1,500.00. The owner wants it paid back.",
    query: "LESS-1",
    row: "The customer paid KES 1.00.",
    reads: ["costs KES 1,500.00.", "Otherwise pay KES 1.00 back.", "No goods were given."],
    answer: "I have paid it back",
    done: "noted as paid back",
  },
  {
    told: "The owner has agreed with this customer that KES 1.00 is enough.",
    query: "LESS-2",
    row: "The customer paid KES 1.00.",
    reads: ["costs KES 1,500.00.", "Give the goods if the amount is all right."],
    answer: "Give the goods",
    done: "The order counts as paid.",
  },
  {
    told: "The order was canceled, and the customer paid nevertheless. The seats are sold.",
    query: "LATE-1",
    row: "gets no goods",
    reads: ["The money came after the order was canceled.", "Otherwise pay KES 1,500.00 back"],
    answer: "I have paid it back",
    done: "noted as paid back",
  },
  {
    told: "The order was canceled by mistake. The customer paid, and stands at the counter.",
    query: "LATE-2",
    row: "gets no goods",
    reads: ["If the goods are still there and the customer wants them, give them after all."],
    answer: "Give the goods after all",
    done: "the system hands over the goods",
  },
  {
    told: "I paid with my phone 0712 345 678 and typed STRANGER-1. I want my money back.",
    query: "stranger 1",
    row: "belongs to no order",
    reads: ["STRANGER-1", "0712 *** 678", "Find out who paid, and for what."],
    answer: "I have paid it back",
    done: "noted as paid back",
  },
  {
    told: "The page says that the payment service said two things about a payment of KES 1,500.00.",
    query: "UNCLEAR-1",
    row: "two different things",
    reads: [
      "The goods were given, once.",
      "If it agrees with the order, keep the order as it is.",
      "KES 1,500.00 completed label UNCLEAR-1",
    ],
    answer: "Keep the order",
    done: "The order stays as it is.",
  },
  {
    told: "I have paid and have no ticket. The stock was down, and works again now.",
    query: "GOODS-1",
    row: "could not hand over the goods",
    reads: ["It says: The stock does not respond.", "When that is repaired, try again now."],
    answer: "Try again now",
    done: "The system tries again",
  },
  {
    told: "Was I asked to pay? Nothing came to my phone. The service has no such payment.",
    query: "UNKNOWN-1",
    row: "not known whether the customer was asked",
    reads: ["a payment with the label UNKNOWN-1.", "If there is none, the customer has not paid."],
    answer: "The customer has not paid",
    done: "ended without money",
  },
];
