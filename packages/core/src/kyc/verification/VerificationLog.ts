import { Context, type Effect } from "effect"
import type { Environment } from "../../Environment.js"
import type { MerchantId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import type { Verification } from "./Verification.js"

/** Selects all verifications of an environment, or only those for one merchant if `merchantId` is defined. */
export interface VerificationListing {
  readonly environment: Environment
  readonly merchantId: MerchantId | undefined
}

/** Lists verifications, for merchants, the operator and the host. */
export class VerificationLog extends Context.Service<
  VerificationLog,
  {
    /** Lists the merchant's verifications of linked persons, newest first. */
    readonly list: (scope: MerchantScope, page: PageRequest) => Effect.Effect<Page<Verification>, StoreError>

    /** Lists verifications of linked and formerly linked persons, newest first. For the operator and the host. */
    readonly listAll: (listing: VerificationListing, page: PageRequest) => Effect.Effect<Page<Verification>, StoreError>
  }
>()("@surety/core/kyc/verification/VerificationLog") {}
