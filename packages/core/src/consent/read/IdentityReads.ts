import { Context, DateTime, Duration, Effect, Layer, Option, Redacted, type Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  ConsumerDirectory,
  DirectoryUnavailable,
  type IdentityValues,
  type Person,
  readValues
} from "../../consumer/ConsumerDirectory.js"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import { type IdentityField, IdentityFields, serviceIdField } from "../../consumer/IdentityField.js"
import * as Traceparent from "../../event/Traceparent.js"
import { callHost } from "../../host/callHost.js"
import { type ApiKeyId, EventId, IdentityReadId, ReceiptId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { MerchantNotActive } from "../../merchant/MerchantError.js"
import { MerchantStore } from "../../merchant/MerchantStore.js"
import { requireNotClosed } from "../../merchant/openMerchant.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import { ConsentRequired } from "../ConsentError.js"
import { type ConsentListing, ConsentLog, type PersonFilter } from "../ConsentLog.js"
import { ConsentStore } from "../ConsentStore.js"
import { ConsentPolicy } from "../grant/ConsentPolicy.js"
import type { Grant } from "../grant/Grant.js"
import { type Controller, controllerOf } from "../receipt/Receipt.js"
import { decideIdentityRead, type IdentityReadPlan } from "./decideIdentityRead.js"
import type { IdentityRead } from "./IdentityRead.js"
import type { Identity } from "./IdentityRecord.js"
import type { LastRead } from "./LastRead.js"

/** Time limit for the directory during a merchant's read. A preview's limit is shorter. */
export const directoryTimeout = Duration.seconds(10)

/** A merchant's request to read a person's data. */
export interface IdentityReadInput {
  readonly serviceId: ConsumerId
  /** Fields to read. Default: all fields registered in `IdentityFields`. */
  readonly fields?: ReadonlyArray<IdentityField>
  /** Id of the API key that the merchant uses. Absent if a host reads without one. */
  readonly apiKeyId?: ApiKeyId
}

export type IdentityReadFailed = ConsentRequired | MerchantNotActive | DirectoryUnavailable | StoreError

/** Reads data that people have approved. */
export class IdentityReads extends Context.Service<
  IdentityReads,
  {
    /**
     * Returns the approved fields with their current values, and the reason why each other requested field is not
     * approved. Every read is recorded before any value is returned. At most one of several concurrent reads uses up a
     * one-time grant.
     *
     * One call may use up several one-time grants in turn. Once the first is used up, a failure no longer fails the
     * call. The fields not yet read are then omitted or returned as `expired`.
     *
     * Fails with `ConsentRequired` if no grant is active or the person is restricted. Fails with `MerchantNotActive` if
     * the merchant is REJECTED or CLOSED. Fails with `DirectoryUnavailable` if the directory does not return valid
     * values in time.
     */
    readonly read: (scope: MerchantScope, question: IdentityReadInput) => Effect.Effect<Identity, IdentityReadFailed>

    /** Lists reads, newest first. */
    readonly list: (
      listing: ConsentListing,
      filter: PersonFilter,
      page: PageRequest
    ) => Effect.Effect<Page<IdentityRead>, StoreError>

    /** Returns the latest read under each grant (`isUnder`), in any order. Omits grants without one. */
    readonly last: (grants: ReadonlyArray<Grant>) => Effect.Effect<ReadonlyArray<LastRead>, StoreError>
  }
>()("@surety/core/consent/read/IdentityReads") {}

const merged = (one: Identity, other: Identity): Identity => ({
  serviceId: one.serviceId,
  fields: { ...one.fields, ...other.fields },
  notApproved: { ...one.notApproved, ...other.notApproved }
})

type Needs = ConsentStore | ConsentLog | MerchantStore | ConsumerDirectory | SecureRandom.SecureRandom

const make = Effect.gen(function* () {
  const store = yield* ConsentStore
  const log = yield* ConsentLog
  const directory = yield* ConsumerDirectory
  const random = yield* SecureRandom.SecureRandom
  const merchants = yield* MerchantStore
  const known = yield* IdentityFields

  const policy = yield* ConsentPolicy

  /** Fetches the values of `fields` except `service_id` from the directory. A missing value is null. */
  const valuesOf = Effect.fnUntraced(function* (
    { environment, serviceId, userId }: Person,
    fields: ReadonlyArray<IdentityField>
  ) {
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
              given: () => [userId, serviceId]
            },
            () => directory.values({ environment, userId, serviceId }, wanted)
          )
    const valueFor = (field: string): Redacted.Redacted<Schema.Json> =>
      (Object.hasOwn(values, field) ? values[field] : undefined) ?? Redacted.make(null)
    return new Map(wanted.map((field) => [field, valueFor(field)]))
  })

  type Values = Effect.Success<ReturnType<typeof valuesOf>>

  /**
   * Records one read and returns its values. If the read uses up a grant, the values are fetched before the read is
   * recorded. So a directory failure never uses up a grant.
   */
  const readOnce = Effect.fnUntraced(function* (
    scope: MerchantScope,
    controller: Controller,
    { apiKeyId, fields, serviceId }: IdentityReadInput,
    fetched: Values
  ) {
    let values = fetched
    while (true) {
      const ids = yield* Effect.provideService(
        Effect.all({ readId: IdentityReadId.next, receiptId: ReceiptId.next, eventId: EventId.next }),
        SecureRandom.SecureRandom,
        random
      )
      const atHand = new Set(values.keys())
      const traceparent = yield* Traceparent.current
      const now = yield* DateTime.now
      const context = { ...ids, scope, now, apiKeyId, known, controller, policy, atHand, traceparent }
      const decision = yield* store.read({ scope, serviceId }, (snapshot) =>
        decideIdentityRead(snapshot, { serviceId, fields }, context)
      )
      if (decision._tag === "Refuse") return yield* decision.reason
      if (decision._tag === "Prepare") {
        values = yield* valuesOf({ ...scope, serviceId, userId: decision.userId }, decision.fields)
        continue
      }
      const { plan } = decision
      if (plan.used === undefined) values = yield* valuesOf(plan.read, plan.read.fields)
      return { plan, values }
    }
  })

  const identityOf = ({ notApproved, read }: IdentityReadPlan, values: Values): Identity => {
    const handedOut = (field: IdentityField): Redacted.Redacted<Schema.Json> =>
      field === serviceIdField ? Redacted.make<Schema.Json>(read.serviceId) : (values.get(field) ?? Redacted.make(null))
    return {
      serviceId: read.serviceId,
      fields: Object.fromEntries(read.fields.map((field) => [field, handedOut(field)])),
      notApproved
    }
  }

  /**
   * Reads the fields of further one-time grants. Has no typed failure, because values read under grants already used up
   * must reach the merchant.
   */
  const readFurther = (
    scope: MerchantScope,
    controller: Controller,
    input: IdentityReadInput & { readonly fields: ReadonlyArray<IdentityField> },
    fetched: Values
  ): Effect.Effect<Identity> =>
    Effect.gen(function* () {
      const { plan, values } = yield* readOnce(scope, controller, input, fetched)
      const identity = identityOf(plan, values)
      if (plan.remaining.length === 0) return identity
      return merged(identity, yield* readFurther(scope, controller, { ...input, fields: plan.remaining }, values))
    }).pipe(
      Effect.catchTag("ConsentRequired", () =>
        Effect.succeed({
          serviceId: input.serviceId,
          fields: {},
          notApproved: Object.fromEntries(input.fields.map((field) => [field, "expired" as const]))
        })
      ),
      Effect.catchTag(["StoreError", "DirectoryUnavailable"], (cause) =>
        Effect.as(Effect.logWarning("One-time consent read failed", cause), {
          serviceId: input.serviceId,
          fields: {},
          notApproved: {}
        })
      )
    )

  const read = Effect.fn("IdentityReads.read")(function* (scope: MerchantScope, input: IdentityReadInput) {
    const merchant = yield* requireNotClosed(merchants, scope)
    if (Option.isNone(merchant)) return yield* new ConsentRequired()
    const controller = controllerOf(merchant.value)
    const { plan, values } = yield* readOnce(scope, controller, input, new Map())
    const identity = identityOf(plan, values)
    if (plan.remaining.length === 0) return identity
    const further = { ...input, fields: plan.remaining }
    return merged(identity, yield* readFurther(scope, controller, further, values))
  })

  return IdentityReads.of({ read, list: log.listReads, last: log.lastReads })
})

export const layer: Layer.Layer<IdentityReads, never, Needs> = Layer.effect(IdentityReads, make)
