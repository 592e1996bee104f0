import { Grants } from "@surety/core/consent/grant/Grants"
import { ManagementLinks } from "@surety/core/consent/link/ManagementLinks"
import { Consumers } from "@surety/core/consumer/Consumers"
import { Environment } from "@surety/core/Environment"
import { GrantId } from "@surety/core/Ids"
import { Purpose } from "@surety/core/input/ShownText"
import { Moment, text } from "@surety/core/input/Text"
import { toPage } from "@surety/core/Page"
import { Duration, Effect, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainConsentLink, plainGrant } from "../record/Consent.js"
import { acting, host } from "./input/actor.js"
import { HostFieldNames } from "./input/fieldNames.js"
import { pagingFields, readHostPage } from "./input/paging.js"
import {
  listedUserId,
  listingFields,
  personFields,
  requireMerchant,
  scopeFields,
  serviceIdOf
} from "./input/scopeAndPerson.js"

/** People's grants to merchants. */
export const grants = (run: Run) => ({
  /**
   * Creates a grant without a request, for a person who consented outside Surety. By default it expires after 180 days.
   * Emits `merchant.identity.consent_granted`.
   */
  create: call(
    run,
    Schema.Struct({
      ...scopeFields,
      ...personFields,
      fields: HostFieldNames,
      purpose: Schema.optionalKey(Purpose),
      expiresAt: Schema.optionalKey(Moment),
      ...acting
    }),
    ({ actor = host, environment, merchantId, serviceId, userId, ...terms }) =>
      Effect.gen(function* () {
        const grants = yield* Grants
        yield* requireMerchant(merchantId)
        const person = yield* serviceIdOf(environment, { serviceId, userId })
        const grant = { ...terms, serviceId: person, origin: "HOST", actor } as const
        return plainGrant(yield* grants.create({ merchantId, environment }, grant))
      })
  ),

  get: call(run, Schema.Struct({ ...scopeFields, grantId: GrantId }), ({ grantId, ...scope }) =>
    Effect.flatMap(Grants, (grants) => Effect.map(grants.get({ id: grantId, scope }), plainGrant))
  ),

  /** Newest first, for one merchant or all, optionally for one person. */
  list: call(
    run,
    Schema.Struct({ ...listingFields, ...personFields, ...pagingFields }),
    ({ environment, merchantId, serviceId, userId, ...page }) =>
      Effect.gen(function* () {
        const grants = yield* Grants
        const person = yield* listedUserId(environment, { serviceId, userId })
        const key = ["grants.list", merchantId ?? "", environment] as const
        const found = yield* readHostPage(key, page, (request) =>
          grants.list({ merchantId, environment }, { userId: person }, request)
        )
        return toPage(found, plainGrant)
      })
  ),

  /**
   * Issues a link to the page where a person sees and revokes their consents. The link is valid for `days`: 1 to 180,
   * default 7. Give the link to that person and to no one else.
   */
  issueLink: call(
    run,
    Schema.Struct({
      environment: Environment,
      ...personFields,
      days: Schema.optionalKey(
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 180 }, { code: "out_of_range" }))
      )
    }),
    ({ days, environment, ...named }) =>
      Effect.gen(function* () {
        const links = yield* ManagementLinks
        const serviceId = yield* serviceIdOf(environment, named)
        const { userId } = yield* (yield* Consumers).get(environment, serviceId)
        const lifetime = days === undefined ? {} : { lifetime: Duration.days(days) }
        const person = { environment, serviceId, userId }
        return plainConsentLink({ person, link: yield* links.issue(person, lifetime) })
      })
  ),

  /**
   * Revokes a grant, or leaves an ended grant unchanged. From then on, every process refuses the merchant's reads under
   * the grant. Returns the grant.
   */
  revoke: call(
    run,
    Schema.Struct({ grantId: GrantId, reason: Schema.optionalKey(text(500)), ...acting }),
    ({ actor = host, grantId, ...revocation }) =>
      Effect.flatMap(Grants, (grants) =>
        Effect.map(grants.revoke({ id: grantId, scope: undefined }, { ...revocation, actor }), plainGrant)
      )
  )
})
