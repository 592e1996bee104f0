import { Context, type Effect } from "effect"
import type { Environment } from "../../Environment.js"
import type { MerchantId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import type { Verification } from "./Verification.js"

/** For the operator: an environment's verifications, or one merchant's in it. */
export interface VerificationListing {
  readonly environment: Environment
  readonly merchantId: MerchantId | undefined
}

/** Read side of KYC. */
export class VerificationLog extends Context.Service<
  VerificationLog,
  {
    /** The merchant's verifications of linked persons, newest first. */
    readonly list: (scope: MerchantScope, page: PageRequest) => Effect.Effect<Page<Verification>, StoreError>

    /** For the operator, newest first, also of persons who are no longer linked. */
    readonly listAll: (listing: VerificationListing, page: PageRequest) => Effect.Effect<Page<Verification>, StoreError>
  }
>()("@surety/core/kyc/verification/VerificationLog") {}
