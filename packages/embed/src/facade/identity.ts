import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import { toPage } from "@surety/core/Page"
import { Effect, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainIdentity, plainIdentityRead } from "../record/Consent.js"
import { HostFieldNames } from "./input/fieldNames.js"
import { pagingFields, readHostPage } from "./input/paging.js"
import { listedUserId, listingFields, personFields, scopeFields, serviceIdOf } from "./input/scopeAndPerson.js"

/** Merchants' reads of people's identity fields. */
export const identity = (run: Run) => ({
  /**
   * Returns the current values of the approved fields and, for each field that is not approved, the reason. `fields`
   * limits the read; by default, all approved fields are read. Every read is recorded before a value is returned. Fails
   * with `ConsentRequired` if the merchant has no active grant from the person, or the person is restricted. Fails with
   * `MerchantNotActive` if the merchant is REJECTED or CLOSED. Fails with `DirectoryUnavailable` if the host's
   * directory returns no valid values in time.
   */
  read: call(
    run,
    Schema.Struct({ ...scopeFields, ...personFields, fields: Schema.optionalKey(HostFieldNames) }),
    ({ environment, merchantId, serviceId, userId, ...question }) =>
      Effect.gen(function* () {
        const reads = yield* IdentityReads
        const person = yield* serviceIdOf(environment, { serviceId, userId })
        return plainIdentity(yield* reads.read({ merchantId, environment }, { ...question, serviceId: person }))
      })
  ),

  /** Recorded reads, newest first, for one merchant or all, optionally for one person. */
  reads: call(
    run,
    Schema.Struct({ ...listingFields, ...personFields, ...pagingFields }),
    ({ environment, merchantId, serviceId, userId, ...page }) =>
      Effect.gen(function* () {
        const reads = yield* IdentityReads
        const person = yield* listedUserId(environment, { serviceId, userId })
        const key = ["identity.reads", merchantId ?? "", environment] as const
        const found = yield* readHostPage(key, page, (request) =>
          reads.list({ merchantId, environment }, { userId: person }, request)
        )
        return toPage(found, plainIdentityRead)
      })
  )
})
