import { DateTime, Duration, Effect, Redacted, type Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  ConsumerDirectory,
  DirectoryUnavailable,
  type IdentityValues,
  readValues
} from "../../consumer/ConsumerDirectory.js"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import { type IdentityField, IdentityFields, serviceIdField } from "../../consumer/IdentityField.js"
import { callHost } from "../../host/callHost.js"
import { type ApiKeyId, nextIdentityReadId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { MerchantNotActive } from "../../merchant/MerchantError.js"
import { MerchantStore } from "../../merchant/MerchantStore.js"
import { requireNotClosed } from "../../merchant/openMerchant.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import type { ConsentRequired } from "../ConsentError.js"
import { type ConsentListing, ConsentLog, type PersonFilter } from "../ConsentLog.js"
import { ConsentStore } from "../ConsentStore.js"
import { decideIdentityRead } from "./decideIdentityRead.js"
import type { IdentityRead } from "./IdentityRead.js"
import type { Identity } from "./IdentityRecord.js"

/** How long the directory may take. */
export const directoryTimeout = Duration.seconds(10)

/** What a merchant wants to know of a person. The identifier is checked already. */
export interface IdentityQuestion {
  readonly serviceId: ConsumerId
  /** Absent: all that are approved. */
  readonly fields?: ReadonlyArray<IdentityField>
  /** The key with which it is asked; absent where a host reads without one. */
  readonly apiKeyId?: ApiKeyId
}

export type IdentityReadFailed = ConsentRequired | MerchantNotActive | DirectoryUnavailable | StoreError

/** How merchants read what people have approved. */
export interface IdentityReads {
  /**
   * The approved fields with the values that they have now, and why each other one is not approved. Every reading is
   * recorded before a value is fetched. Fails for a merchant that is REJECTED or CLOSED.
   */
  readonly readIdentity: (
    scope: MerchantScope,
    question: IdentityQuestion
  ) => Effect.Effect<Identity, IdentityReadFailed>

  /** Who has read what, newest first; of one person when `userId` is given. */
  readonly reads: (
    listing: ConsentListing,
    filter: PersonFilter,
    page: PageRequest
  ) => Effect.Effect<Page<IdentityRead>, StoreError>
}

type Needs = ConsentStore | ConsentLog | MerchantStore | ConsumerDirectory | SecureRandom.SecureRandom

export const make: Effect.Effect<IdentityReads, never, Needs> = Effect.gen(function* () {
  const store = yield* ConsentStore
  const log = yield* ConsentLog
  const directory = yield* ConsumerDirectory
  const random = yield* SecureRandom.SecureRandom
  const merchants = yield* MerchantStore
  const known = yield* IdentityFields

  /** The values of the fields that may be read, and of no others, whatever the directory says. */
  const valuesOf = Effect.fnUntraced(function* ({ environment, fields, serviceId, userId }: IdentityRead) {
    const wanted = fields.filter((field) => field !== serviceIdField)
    const values: IdentityValues =
      wanted.length === 0
        ? {}
        : yield* callHost(
            {
              part: "directory",
              operation: "values",
              read: readValues,
              timeout: directoryTimeout,
              unavailable: (cause) => new DirectoryUnavailable({ cause }),
              consequence: "nothing is handed out",
              given: [userId, serviceId]
            },
            () => directory.values({ environment, userId, serviceId }, wanted)
          )
    const valueFor = (field: string): Redacted.Redacted<Schema.Json> =>
      (Object.hasOwn(values, field) ? values[field] : undefined) ?? Redacted.make(null)
    return Object.fromEntries(
      fields.map((field) => [field, field === serviceIdField ? Redacted.make(serviceId) : valueFor(field)])
    )
  })

  const readIdentity = Effect.fn("Consents.readIdentity")(function* (
    scope: MerchantScope,
    { apiKeyId, fields, serviceId }: IdentityQuestion
  ) {
    yield* requireNotClosed(merchants, scope)
    const readId = yield* Effect.provideService(nextIdentityReadId, SecureRandom.SecureRandom, random)
    const context = { scope, now: yield* DateTime.now, readId, apiKeyId, known }
    const command = { serviceId, fields }
    const decision = yield* store.read({ scope, serviceId }, (snapshot) =>
      decideIdentityRead(snapshot, command, context)
    )
    if (decision._tag === "Refuse") return yield* decision.reason
    const { notApproved, read } = decision.plan
    const identity: Identity = { serviceId, fields: yield* valuesOf(read), notApproved }
    return identity
  })

  return { readIdentity, reads: log.listReads }
})
