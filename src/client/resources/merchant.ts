import { ENDPOINTS } from "../../contract/endpoints.ts";
import type {
  Merchant as MerchantProfile,
  PaymentAccount,
} from "../../contract/merchant-account.ts";
import type { Call } from "../call.ts";
import type { CallOptions } from "../options.ts";
import type { Page } from "../response/page.ts";
import type { Result } from "../response/result.ts";

/** The merchant that the key belongs to. */
export class Merchant {
  readonly #call: Call;
  /** @internal */
  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Reads the merchant's profile.
   *
   * Requires a key with the scope `merchant.read`.
   *
   * @see docs/reference/service.md, "Endpoints"
   */
  get(options?: CallOptions): Result<MerchantProfile> {
    return this.#call(ENDPOINTS["merchant.get"], {}, options);
  }

  /**
   * Lists the accounts that payments can be made to.
   *
   * Requires a key with the scope `merchant.read`.
   *
   * @see docs/reference/service.md, "Endpoints"
   */
  paymentAccounts(options?: CallOptions): Result<Page<PaymentAccount>> {
    return this.#call(ENDPOINTS["merchant.paymentAccounts"], {}, options);
  }
}
