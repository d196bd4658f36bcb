// Written by `npx node scripts/contract-fields.ts` from the interfaces of src/contract: do not edit it.

/** The fields of each interface that has documented ones, as its declaration and its comments state them. */
export const INTERFACES = {
  Payment: {
    status: {
      type: "string",
      values: ["pending", "completed", "failed"],
      description:
        "`pending`, `completed`, `failed`, or a status that the service does not document.",
    },
    payment_id: {
      type: "number",
      optional: true,
      description: "Internal identifier. Use it, or `reference`, to find duplicate deliveries.",
    },
    merchant_id: {
      type: "number",
      optional: true,
      description: "Identifier of the merchant that owns the payment.",
    },
    reference: {
      type: "string",
      optional: true,
      description:
        "Reference of the payment, for reads of it. Use it to find duplicate deliveries.",
    },
    amount: {
      type: "string",
      optional: true,
      description:
        'Decimal amount with two digits after the point, `"100.00"`. Do not use float arithmetic.',
    },
    currency: { type: "string", optional: true, description: 'Currency code, such as `"KES"`.' },
    phone: {
      type: "string",
      optional: true,
      description:
        'Phone of the customer: international digits without a plus sign, `"254712345678"`.',
    },
    account_reference: {
      type: "string",
      optional: true,
      description: "Your label for the payment, at most 12 characters. Used for paybill routing.",
    },
    checkout_request_id: {
      type: "string",
      optional: true,
      description: "Identifier of the payment prompt.",
    },
    transaction_id: {
      type: "string",
      optional: true,
      description: "Transaction identifier of the provider. Only for completed payments.",
    },
    provider_transaction_id: {
      type: "string",
      optional: true,
      description: "Transaction identifier of the provider. Only for completed payments.",
    },
    provider_reference: {
      type: "string",
      optional: true,
      description: "Result text of the provider. Only for completed payments.",
    },
    payer_name: {
      type: "string",
      optional: true,
      description: "Name of the payer. Only for completed payments.",
    },
    failure_reason: {
      type: "string",
      optional: true,
      description: "Why the payment failed, for you. Only for failed payments.",
    },
    user_message: {
      type: "string",
      optional: true,
      description: "Why the payment failed, as a text for the customer. Only for failed payments.",
    },
    retry_possible: {
      type: "boolean",
      optional: true,
      description: "Whether it makes sense to start another payment. Only for failed payments.",
    },
  },
  MobileMoneyPaymentParams: {
    amount: {
      type: "number",
      description:
        "Amount to charge in the unit of the currency (shillings, not cents): above 0, at most two decimals.",
    },
    phone: {
      type: "string",
      description:
        "Phone of the customer: international digits, or a local number that starts with 0.",
    },
    description: {
      type: "string",
      optional: true,
      description:
        "Text that is shown for the payment. Set it to tell the customer what the payment is for.",
    },
    account_reference: {
      type: "string",
      optional: true,
      description:
        "Your label for the payment, at most 12 characters. Set it to find the order again: events and reads of the payment contain it.",
    },
    payment_account_id: {
      type: ["string", "number"],
      optional: true,
      description:
        "Account that receives the payment. Set it if the merchant has several payment accounts. Default: the merchant's default payment account.",
    },
  },
  MobileMoneyPayment: {
    reference: {
      type: "string",
      description: "Reference of the payment, for reads of it. Store it with the order.",
    },
    checkout_request_id: {
      type: "string",
      optional: true,
      description: "Identifier of the payment prompt, if the service has one already.",
    },
  },
  PhoneToValidate: {
    phone: {
      type: "string",
      description:
        "Phone of the customer: international digits, or a local number that starts with 0.",
    },
  },
  Webhook: {
    id: {
      type: ["string", "number"],
      optional: true,
      description:
        "Identifier, to change or delete the endpoint. The service does not document its type.",
    },
    name: { type: "string", optional: true, description: "Label of the endpoint." },
    url: { type: "string", optional: true, description: "URL that receives the deliveries." },
    events: {
      type: "array",
      items: { type: "string" },
      optional: true,
      description: "The kinds of event that are delivered.",
    },
  },
  WebhookRegistration: {
    name: { type: "string", description: "Label of the endpoint." },
    url: {
      type: "string",
      description:
        "HTTPS URL that receives the deliveries. For tests, `http:` on a loopback host, and on a private name if the gateway has `testNetwork`.",
    },
    events: {
      type: "array",
      items: {
        type: "string",
        values: [
          "payment.completed",
          "payment.failed",
          "payment.initiated",
          "invoice.created",
          "invoice.paid",
          "invoice.overdue",
          "subscription.created",
          "subscription.canceled",
        ],
      },
      optional: true,
      description:
        "Kinds of event to deliver: the eight documented kinds, or any other non-empty string. The service does not document what it does if the list is left out, so set it.",
    },
  },
  WebhookChanges: {
    name: { type: "string", optional: true, description: "New label of the endpoint." },
    url: {
      type: "string",
      optional: true,
      description: "New HTTPS URL. For tests, `http:` on a loopback host.",
    },
    events: {
      type: "array",
      items: {
        type: "string",
        values: [
          "payment.completed",
          "payment.failed",
          "payment.initiated",
          "invoice.created",
          "invoice.paid",
          "invoice.overdue",
          "subscription.created",
          "subscription.canceled",
        ],
      },
      optional: true,
      description: "New list of event kinds.",
    },
  },
  PaymentAccount: {
    payment_account_id: {
      type: ["string", "number"],
      optional: true,
      description: "Identifier of the account, for the start of a payment.",
    },
  },
  PaymentCompletedData: {
    status: { const: "completed", description: "Status of the payment." },
    reference: {
      type: "string",
      description:
        "Reference of the payment, for reads of it. Use it to find duplicate deliveries.",
    },
    amount: {
      type: "string",
      description:
        'Decimal amount with two digits after the point, `"100.00"`. Do not use float arithmetic.',
    },
    currency: { type: "string", description: 'Currency code, such as `"KES"`.' },
    payment_id: {
      type: "number",
      optional: true,
      description: "Internal identifier. Use it, or `reference`, to find duplicate deliveries.",
    },
    merchant_id: {
      type: "number",
      optional: true,
      description: "Identifier of the merchant that owns the payment.",
    },
    phone: {
      type: "string",
      optional: true,
      description:
        'Phone of the customer: international digits without a plus sign, `"254712345678"`.',
    },
    account_reference: {
      type: "string",
      optional: true,
      description: "Your label for the payment, at most 12 characters. Used for paybill routing.",
    },
    checkout_request_id: {
      type: "string",
      optional: true,
      description: "Identifier of the payment prompt.",
    },
    transaction_id: {
      type: "string",
      optional: true,
      description: "Transaction identifier of the provider. Only for completed payments.",
    },
    provider_transaction_id: {
      type: "string",
      optional: true,
      description: "Transaction identifier of the provider. Only for completed payments.",
    },
    provider_reference: {
      type: "string",
      optional: true,
      description: "Result text of the provider. Only for completed payments.",
    },
    payer_name: {
      type: "string",
      optional: true,
      description: "Name of the payer. Only for completed payments.",
    },
  },
  PaymentFailedData: {
    status: { const: "failed", description: "Status of the payment." },
    reference: { type: "string", description: "" },
    amount: { type: "string", description: "" },
    payment_id: {
      type: "number",
      optional: true,
      description: "Internal identifier. Use it, or `reference`, to find duplicate deliveries.",
    },
    failure_reason: {
      type: "string",
      optional: true,
      description: "Why the payment failed, for you. Only for failed payments.",
    },
    user_message: {
      type: "string",
      optional: true,
      description: "Why the payment failed, as a text for the customer. Only for failed payments.",
    },
    retry_possible: {
      type: "boolean",
      optional: true,
      description: "Whether it makes sense to start another payment. Only for failed payments.",
    },
  },
} as const;
