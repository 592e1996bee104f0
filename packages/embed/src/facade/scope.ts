import { Environment } from "@surety/core/Environment"
import { MerchantId } from "@surety/core/Ids"

/** Whose records are meant, and of which environment. */
export const scopeFields = { merchantId: MerchantId, environment: Environment }
