import { Grants } from "@surety/core/consent/grant/Grants"
import { GrantId, UserId } from "@surety/core/Ids"
import { Purpose } from "@surety/http/consent/DataRequestsApi"
import { OperatorGrantRecord } from "@surety/http/consent/GrantRecord"
import { IdentityFieldNames } from "@surety/http/field/IdentityFieldNames"
import { Moment } from "@surety/http/field/Moment"
import { toPage } from "@surety/http/field/Paging"
import { ServiceId } from "@surety/http/field/ServiceId"
import { text } from "@surety/http/field/Text"
import { Effect, Schema } from "effect"
import { call, plain, type Run } from "../Call.js"
import { acting, host } from "./actor.js"
import { pagingFields, readPage } from "./paging.js"
import { scopeFields } from "./scope.js"

const record = plain(OperatorGrantRecord)

/** What people have allowed merchants to read. */
export const grants = (run: Run) => ({
  /** A grant without a request, because the person has consented elsewhere. Emits `consent_granted`. */
  create: call(
    run,
    Schema.Struct({
      ...scopeFields,
      serviceId: ServiceId,
      fields: IdentityFieldNames,
      purpose: Schema.optionalKey(Purpose),
      expiresAt: Schema.optionalKey(Moment),
      ...acting
    }),
    ({ actor = host, environment, merchantId, ...grant }) =>
      Effect.flatMap(Grants, (grants) =>
        Effect.map(grants.create({ merchantId, environment }, { ...grant, origin: "HOST", actor }), record)
      )
  ),

  get: call(run, Schema.Struct({ ...scopeFields, grantId: GrantId }), ({ grantId, ...scope }) =>
    Effect.flatMap(Grants, (grants) => Effect.map(grants.get({ id: grantId, scope }), record))
  ),

  /** Newest first; of one person when `userId` is given. */
  list: call(
    run,
    Schema.Struct({ ...scopeFields, userId: Schema.optionalKey(UserId), ...pagingFields }),
    ({ environment, merchantId, userId, ...page }) =>
      Effect.flatMap(Grants, (grants) =>
        Effect.map(
          readPage(["grants.list", merchantId, environment], page, (request) =>
            grants.list({ merchantId, environment }, { userId }, request)
          ),
          (found) => toPage(found, record)
        )
      )
  ),

  /** The merchant's next reading, on whatever node, is refused. A grant that has ended already stays as it is. */
  revoke: call(
    run,
    Schema.Struct({ grantId: GrantId, reason: Schema.optionalKey(text(500)), ...acting }),
    ({ actor = host, grantId, ...revocation }) =>
      Effect.flatMap(Grants, (grants) =>
        Effect.map(grants.revoke({ id: grantId, scope: undefined }, { ...revocation, actor }), record)
      )
  )
})
