import { ENDPOINTS } from "../../contract/endpoints.ts";
import type { Merchant as MerchantProfile, PaymentAccount } from "../../contract/merchant.ts";
import type { Call } from "../call.ts";
import type { Page } from "../response/page.ts";
import type { Result } from "../response/result.ts";
import type { CallOptions } from "../settings.ts";

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
   * Any key with the scope `merchant.read`.
   *
   * @see Service interface, section 4, row 1.
   */
  get(options?: CallOptions): Result<MerchantProfile> {
    return this.#call(ENDPOINTS["merchant.get"], {}, options);
  }

  /**
   * Lists the accounts that payments can be made to.
   *
   * Any key with the scope `merchant.read`.
   *
   * @see Service interface, section 4, row 2.
   */
  paymentAccounts(options?: CallOptions): Result<Page<PaymentAccount>> {
    return this.#call(ENDPOINTS["merchant.paymentAccounts"], {}, options);
  }
}
