import { Environment } from "@surety/core/Environment"
import { MerchantId } from "@surety/core/Ids"

/** The merchant and environment of the records. */
export const scopeFields = { merchantId: MerchantId, environment: Environment }
