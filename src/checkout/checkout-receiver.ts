import { EVENT_KINDS } from "../contract/events.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import { SQL_ENGINES } from "../internal/engine-parts.ts";
import type { WebhookReceiver } from "../webhooks/index.ts";
import { createPartReceiver, type Whole } from "../webhooks/receiver/receiver.ts";
import type { WebhookReceiverOptions } from "../webhooks/receiver/receiver-options.ts";
import type { CheckoutSettings } from "./checkout-settings.ts";
import { checkoutInbox, isPaymentEvent, type LabelledUpdate } from "./orders/payment-updates.ts";

const STARTED_EVENT = "payment.initiated";

const logUnhandled = (kind: string) =>
  // biome-ignore lint/suspicious/noConsole: without it, the user would not learn why an event waits
  console.info(
    `malipo checkout: no handler for ${JSON.stringify(kind)}. Such events are kept until a process has one: checkout.receiver.on(${JSON.stringify(kind)}, handler).`,
  );

/** The receiver of a checkout, and what the checkout alone does with it. */
export interface CheckoutReceiver {
  /** Handles the events of payments itself: users register handlers of the others. */
  readonly receiver: WebhookReceiver;
  /** Before the first event is processed: drops the events of started payments, if they have no handler. */
  dropStarted(): void;
  /** Before a customer is asked: if a checkout of a former evaluation of its module runs, this one takes over. */
  takeOver(): Promise<void>;
}

/**
 * @param note - Brings what an event says of a payment into its order.
 * @param whole - Starts and stops the checkout.
 */
export function checkoutReceiver(
  { engine: { store, onError: harmless }, onError, hooks, secret }: CheckoutSettings,
  note: (update: LabelledUpdate) => Promise<boolean>,
  whole: Whole,
): CheckoutReceiver {
  const keepsEvents = store.inbox !== undefined;
  const options: WebhookReceiverOptions = {
    ...{ inbox: checkoutInbox(store.inbox, note, harmless), onError, hooks },
    onUnhandled: (kind) => {
      // Nothing waits for a handler in a store that keeps no other events.
      if (keepsEvents) logUnhandled(kind);
    },
    ...(secret !== undefined && { secret }),
  };
  const { takeOver, ...receiver } = createPartReceiver(options, whole);
  // The checkout takes them before they are in an inbox: none waits for a handler.
  for (const kind of EVENT_KINDS.filter(isPaymentEvent)) receiver.on(kind, () => {});
  // `pay` knows that it has asked. Without a handler for it, it is dropped.
  let takesStarted = !keepsEvents;
  const checkOthers = () => {
    if (keepsEvents) return;
    throw new ConfigurationError(
      `This store keeps no events other than those of payments. Use another engine as the \`store\` of the checkout: ${SQL_ENGINES}.`,
    );
  };
  return {
    receiver: {
      ...receiver,
      on: (kind, handler) => {
        if (isPaymentEvent(kind)) {
          throw new ConfigurationError(`The checkout handles ${kind} itself. Use onPaid.`);
        }
        checkOthers();
        takesStarted ||= kind === STARTED_EVENT;
        receiver.on(kind, handler);
      },
      onOther: (handler) => {
        checkOthers();
        takesStarted = true;
        receiver.onOther(handler);
      },
    },
    takeOver,
    dropStarted: () => {
      if (!takesStarted) receiver.on(STARTED_EVENT, () => {});
      takesStarted = true;
    },
  };
}
