/** A form that was rejected: the page shows the reason in it, and what was typed. */
interface RejectedForm {
  /** Its action and its place: {@link formKey}. */
  readonly key: string;
  readonly fields: URLSearchParams;
}

/** The message of an action, shown on the page that the browser is sent to after it. */
export interface FlashMessage {
  readonly good: boolean;
  readonly text: string;
  readonly rejected?: RejectedForm | undefined;
}

/** Names a form: two of the page may have the same action, in different places. */
export const formKey = (action: string, at: string): string => `${action} ${at}`;

const MAX_KEPT = 50;

/** Messages on their way to the next page. The address names one, and never holds its text. */
export interface FlashMessages {
  /** Keeps a message, and returns its name. */
  add(message: FlashMessage): string;
  get(name: string): FlashMessage | undefined;
}

export function createFlashMessages(): FlashMessages {
  let count = 0;
  const messages = new Map<string, FlashMessage>();
  return {
    add: (message) => {
      const name = String(++count);
      messages.set(name, message);
      messages.delete(String(count - MAX_KEPT));
      return name;
    },
    get: (name) => messages.get(name),
  };
}
