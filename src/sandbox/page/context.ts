import type { ServerContext } from "../http/server-context.ts";
import type { ExchangeLog } from "../observe/exchange-log.ts";
import type { FlashMessage } from "./flash.ts";
import type { View } from "./view.ts";

/** What a page is rendered from. */
export interface PageContext {
  readonly server: ServerContext;
  readonly log: ExchangeLog;
  readonly view: View;
  /** The origin under which the browser reached the sandbox. */
  readonly address: string;
  /** The message of the last action. */
  readonly flash: FlashMessage | undefined;
}
