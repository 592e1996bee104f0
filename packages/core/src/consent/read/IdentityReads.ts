import { Context, DateTime, Duration, Effect, Layer, Redacted, type Schema } from "effect"
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
import { type ApiKeyId, IdentityReadId } from "../../Ids.js"
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

/** What a merchant wants to read of a person. */
export interface IdentityReadInput {
  readonly serviceId: ConsumerId
  /** Default: all approved fields. */
  readonly fields?: ReadonlyArray<IdentityField>
  /** The key of the call. Absent if a host reads without one. */
  readonly apiKeyId?: ApiKeyId
}

export type IdentityReadFailed = ConsentRequired | MerchantNotActive | DirectoryUnavailable | StoreError

/** Reads of what people have approved. */
export class IdentityReads extends Context.Service<
  IdentityReads,
  {
    /**
     * Returns the approved fields with their current values, and why each other one is not approved. Each read is
     * recorded before a value is fetched. Fails if the merchant is REJECTED or CLOSED.
     */
    readonly read: (scope: MerchantScope, question: IdentityReadInput) => Effect.Effect<Identity, IdentityReadFailed>

    /** Who has read what, newest first. */
    readonly list: (
      listing: ConsentListing,
      filter: PersonFilter,
      page: PageRequest
    ) => Effect.Effect<Page<IdentityRead>, StoreError>
  }
>()("@surety/core/consent/read/IdentityReads") {}

type Needs = ConsentStore | ConsentLog | MerchantStore | ConsumerDirectory | SecureRandom.SecureRandom

const make = Effect.gen(function* () {
  const store = yield* ConsentStore
  const log = yield* ConsentLog
  const directory = yield* ConsumerDirectory
  const random = yield* SecureRandom.SecureRandom
  const merchants = yield* MerchantStore
  const known = yield* IdentityFields

  /** The values of the approved fields only, even if the directory returns more. */
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

  const read = Effect.fn("IdentityReads.read")(function* (
    scope: MerchantScope,
    { apiKeyId, fields, serviceId }: IdentityReadInput
  ) {
    yield* requireNotClosed(merchants, scope)
    const readId = yield* Effect.provideService(IdentityReadId.next, SecureRandom.SecureRandom, random)
    const context = { scope, now: yield* DateTime.now, readId, apiKeyId, known }
    const command = { serviceId, fields }
    const decision = yield* store.read({ scope, serviceId }, (snapshot) =>
      decideIdentityRead(snapshot, command, context)
    )
    if (decision._tag === "Refuse") return yield* decision.reason
    const { plan } = decision
    const identity: Identity = { serviceId, fields: yield* valuesOf(plan.read), notApproved: plan.notApproved }
    return identity
  })

  return IdentityReads.of({ read, list: log.listReads })
})

export const layer: Layer.Layer<IdentityReads, never, Needs> = Layer.effect(IdentityReads, make)
