// By itself: what derives from the contract reads it without the digest that `accountReferenceFor` loads.

/** The longest `account_reference`, in characters. @see docs/reference/service.md, "Limits" */
export const MAX_ACCOUNT_REFERENCE = 12;
