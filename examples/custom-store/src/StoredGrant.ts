import type { ConsentTarget } from "@surety/core/consent/ConsentStore"
import { Grant } from "@surety/core/consent/grant/Grant"
import type { GrantId, UserId } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { Sql } from "./Database.ts"
import { storedRecord } from "./StoredRecord.ts"

export const grants = storedRecord(Grant)

/** The grant that is meant, if the target may mean it. */
export const findGrant = (sql: Sql, { id, scope }: ConsentTarget<GrantId>): Grant | undefined => {
  const grant = grants.of(sql.get`select record from consent_grant where id = ${id}`)
  const isMeant =
    scope === undefined || (grant?.merchantId === scope.merchantId && grant.environment === scope.environment)
  return isMeant ? grant : undefined
}

/** All grants of the person to the merchant, ended ones too. */
export const grantsTo = (sql: Sql, { environment, merchantId }: MerchantScope, userId: UserId): ReadonlyArray<Grant> =>
  grants.all(sql.all`
    select record from consent_grant
    where merchant_id = ${merchantId} and environment = ${environment} and user_id = ${userId} order by id`)

export const insertGrant = (sql: Sql, grant: Grant): void => {
  sql.run`insert into consent_grant (record) values (${grants.text(grant)})`
}

export const saveGrant = (sql: Sql, grant: Grant): void => {
  sql.run`update consent_grant set record = ${grants.text(grant)} where id = ${grant.id}`
}
