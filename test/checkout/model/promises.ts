/** Which promises of the manual each violation breaks. */
const PROMISES: Readonly<Record<string, readonly number[]>> = {
  "two prompts for one attempt": [1],
  "no order is ever paid": [1, 5],
  "a customer is asked, and the order looks open": [1, 2],
  "two attempts of one order are open": [2],
  "two prompts of one order are open": [2],
  "an old tab started an attempt": [2],
  "asked for money that was there before the click": [2, 7],
  "the reference of a response was dropped": [3],
  "an attempt whose money came is open again": [3, 5],
  "a customer who was not asked has to wait": [3, 4],
  "money did not pay its order": [5, 8],
  "the goods were given twice": [6],
  "goods were given for no money": [6],
  "goods are never given": [6],
  "goods were given for money that was paid back": [6, 7],
  "a payment was paid back that is not known": [6, 7],
  "money was accepted that was paid back": [6, 7],
  "a second accepted payment vanished": [7],
  "an effect that failed is not tried soon": [6],
  "an effect that a person wants waits": [6],
  "money was counted twice": [6, 7],
  "a review was decided twice": [6, 7],
  "other money paid the order": [7],
  "an order that is over was paid": [7],
  "an order that is over was asked for": [7],
  "an order was asked for after its time": [7],
  "an order does not expire": [7],
  "a canceled order goes on": [7],
  "asked while money is under review": [7],
  "one payment looks like two": [7],
  "money that did not pay is not a review": [7],
  "a contradiction is not a review": [7],
  "a decision was dropped": [7],
  "accepted money pays nothing": [7],
  "money is never found": [8],
  "a process does not end": [9],
  "an attempt stays open": [4, 9],
  "an attempt is open that a person has ended": [9],
  "an unknown outcome looks like a start": [9],
  "what is unknown is not a review": [9],
  "a rejection says nothing": [10],
  "an order was asked for without end": [10],
  "two prompts on one phone are open": [10],
};

/** @throws for a violation that breaks no promise of the manual. */
export function promisesOf(violation: string): readonly number[] {
  const promises = PROMISES[violation];
  if (promises === undefined) throw new Error(`Which promise is broken by: ${violation}?`);
  return promises;
}
