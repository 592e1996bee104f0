import { Grants } from "@surety/core/consent/grant/Grants"
import { GrantId, UserId } from "@surety/core/Ids"
import { IdentityFieldNames } from "@surety/core/input/IdentityFieldNames"
import { ServiceId } from "@surety/core/input/ServiceId"
import { Purpose } from "@surety/core/input/ShownText"
import { Moment, text } from "@surety/core/input/Text"
import { toPage } from "@surety/core/Page"
import { Effect, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainGrant } from "../record/Consent.js"
import { acting, host } from "./actor.js"
import { pagingFields, readHostPage } from "./paging.js"
import { scopeFields } from "./scope.js"

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
        Effect.map(grants.create({ merchantId, environment }, { ...grant, origin: "HOST", actor }), plainGrant)
      )
  ),

  get: call(run, Schema.Struct({ ...scopeFields, grantId: GrantId }), ({ grantId, ...scope }) =>
    Effect.flatMap(Grants, (grants) => Effect.map(grants.get({ id: grantId, scope }), plainGrant))
  ),

  /** Newest first; of one person when `userId` is given. */
  list: call(
    run,
    Schema.Struct({ ...scopeFields, userId: Schema.optionalKey(UserId), ...pagingFields }),
    ({ environment, merchantId, userId, ...page }) =>
      Effect.flatMap(Grants, (grants) =>
        Effect.map(
          readHostPage(["grants.list", merchantId, environment], page, (request) =>
            grants.list({ merchantId, environment }, { userId }, request)
          ),
          (found) => toPage(found, plainGrant)
        )
      )
  ),

  /** The merchant's next reading, on any node, is refused. A grant that has ended already stays as it is. */
  revoke: call(
    run,
    Schema.Struct({ grantId: GrantId, reason: Schema.optionalKey(text(500)), ...acting }),
    ({ actor = host, grantId, ...revocation }) =>
      Effect.flatMap(Grants, (grants) =>
        Effect.map(grants.revoke({ id: grantId, scope: undefined }, { ...revocation, actor }), plainGrant)
      )
  )
})
