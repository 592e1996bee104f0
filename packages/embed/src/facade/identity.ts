import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import { UserId } from "@surety/core/Ids"
import { IdentityFieldNames } from "@surety/core/input/IdentityFieldNames"
import { ServiceId } from "@surety/core/input/ServiceId"
import { toPage } from "@surety/core/Page"
import { Effect, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainIdentity, plainIdentityRead } from "../record/Consent.js"
import { pagingFields, readHostPage } from "./paging.js"
import { scopeFields } from "./scope.js"

/** What merchants may read of people. */
export const identity = (run: Run) => ({
  /**
   * The approved fields with the values that they have now, of those named in `fields` or of all, and why each other one
   * is not approved. Every reading is recorded before a value is fetched.
   */
  read: call(
    run,
    Schema.Struct({ ...scopeFields, serviceId: ServiceId, fields: Schema.optionalKey(IdentityFieldNames) }),
    ({ environment, merchantId, ...question }) =>
      Effect.flatMap(IdentityReads, (reads) =>
        Effect.map(reads.read({ merchantId, environment }, question), plainIdentity)
      )
  ),

  /** Who has read what, newest first; of one person when `userId` is given. */
  reads: call(
    run,
    Schema.Struct({ ...scopeFields, userId: Schema.optionalKey(UserId), ...pagingFields }),
    ({ environment, merchantId, userId, ...page }) =>
      Effect.flatMap(IdentityReads, (reads) =>
        Effect.map(
          readHostPage(["identity.reads", merchantId, environment], page, (request) =>
            reads.list({ merchantId, environment }, { userId }, request)
          ),
          (found) => toPage(found, plainIdentityRead)
        )
      )
  )
})
