import { Context, type Effect } from "effect"
import type { Environment } from "../../Environment.js"
import type { MerchantId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import type { Verification } from "./Verification.js"

/** Which verifications the operator lists: an environment's, or one merchant's in it. */
export interface VerificationListing {
  readonly environment: Environment
  readonly merchantId: MerchantId | undefined
}

/** The verifications that `KycStore` keeps, as lists. */
export class VerificationLog extends Context.Service<
  VerificationLog,
  {
    /** The merchant's verifications of persons whom it may name now, newest first. */
    readonly list: (scope: MerchantScope, page: PageRequest) => Effect.Effect<Page<Verification>, StoreError>

    /** Operator's list, newest first, whether the merchant may still name the person or not. */
    readonly listAll: (listing: VerificationListing, page: PageRequest) => Effect.Effect<Page<Verification>, StoreError>
  }
>()("@surety/core/kyc/verification/VerificationLog") {}
