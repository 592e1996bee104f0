import { Consents } from "@surety/core/consent/Consents"
import { IdentityRecord, reveal } from "@surety/core/consent/read/IdentityRecord"
import { UserId } from "@surety/core/Ids"
import { IdentityFieldNames } from "@surety/http/field/IdentityFieldNames"
import { toPage } from "@surety/http/field/Paging"
import { ServiceId } from "@surety/http/field/ServiceId"
import { IdentityReadRecord } from "@surety/http/operator/ConsentRecords"
import { Effect, Schema } from "effect"
import { call, plain, type Run } from "../Call.js"
import { pagingFields, readPage } from "./paging.js"
import { scopeFields } from "./scope.js"

const record = plain(IdentityRecord)
const reading = plain(IdentityReadRecord)

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
      Effect.flatMap(Consents, (consents) =>
        Effect.map(consents.readIdentity({ merchantId, environment }, question), (found) => record(reveal(found)))
      )
  ),

  /** Who has read what, newest first; of one person when `userId` is given. */
  reads: call(
    run,
    Schema.Struct({ ...scopeFields, userId: Schema.optionalKey(UserId), ...pagingFields }),
    ({ environment, merchantId, userId, ...page }) =>
      Effect.flatMap(Consents, (consents) =>
        Effect.map(
          readPage(["identity.reads", merchantId, environment], page, (request) =>
            consents.reads({ merchantId, environment }, { userId }, request)
          ),
          (found) => toPage(found, (each) => reading(each))
        )
      )
  )
})
