import { Environment } from "@surety/core/Environment"
import { MerchantId } from "@surety/core/Ids"
import { Schema } from "effect"

/** The merchant and environment of the records. */
export const scopeFields = { merchantId: MerchantId, environment: Environment }

/** The same for a list that shows all merchants' records if none is named. */
export const listingFields = { merchantId: Schema.optionalKey(MerchantId), environment: Environment }
