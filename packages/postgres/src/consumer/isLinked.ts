import { toUuid, type UserId } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { Fragment } from "effect/sql/Statement"
import type { Database } from "../sql/Database.js"

/**
 * Builds the condition that a merchant may verify a consumer and see the consumer's verifications. `userId` is the
 * consumer's id, or a column that holds it. The condition requires a link between them, or a grant whose end has not
 * been recorded.
 */
export const isLinked = (
  { name, sql }: Database,
  { environment, merchantId }: MerchantScope,
  userId: UserId | Fragment
): Fragment => sql`
  (exists (
    select 1 from ${name("consumer_link")} l
    where l.user_id = ${userId} and l.merchant_id = ${toUuid(merchantId)}
      and l.environment = ${environment}
    offset 0
  ) or exists (
    select 1 from ${name("consent_grant")} g
    where g.user_id = ${userId} and g.merchant_id = ${toUuid(merchantId)}
      and g.environment = ${environment} and g.status = 'ACTIVE'
    offset 0
  ))`
