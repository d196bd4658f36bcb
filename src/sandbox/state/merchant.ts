/** The merchant whose gateway the sandbox is: "the example shop" in Swahili. */
export const MERCHANT = {
  merchant_id: 1,
  name: "Duka la Mfano",
  country: "KE",
  currency: "KES",
} as const;
