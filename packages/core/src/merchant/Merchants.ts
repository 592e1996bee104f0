import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { nextBusinessCode } from "../consumer/ConsumerId.js"
import { decideUntilCommitted } from "../decideUntilCommitted.js"
import { MerchantId } from "../Ids.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import { KeyHolders } from "./KeyHolders.js"
import {
  allowedTransitions,
  changedSettings,
  defaultMerchantSettings,
  type Merchant,
  type MerchantProfile,
  type MerchantSettings,
  type MerchantSettingsChange,
  type MerchantStatus,
  type MerchantStatusChange
} from "./Merchant.js"
import { ExternalIdNotFound, ExternalIdTaken, MerchantNotFound, StatusChangeNotAllowed } from "./MerchantError.js"
import { createdEvent, statusChangedEvent } from "./MerchantEvents.js"
import { MerchantStore } from "./MerchantStore.js"

/** The arguments of an application: the merchant's self-description, the actor who applies, and the return urls. */
export type MerchantApplication = readonly [
  profile: MerchantProfile,
  actor: string,
  settings?: Pick<MerchantSettings, "returnUrls">
]

export interface ChangedMerchant {
  readonly before: Merchant
  readonly after: Merchant
}

/** Manages merchants from application to closure (contract 3). */
export class Merchants extends Context.Service<
  Merchants,
  {
    /** Creates a merchant in `PENDING_REVIEW`. The merchant may use TEST immediately. */
    readonly apply: (
      profile: MerchantProfile,
      actor: string,
      settings?: Pick<MerchantSettings, "returnUrls">
    ) => Effect.Effect<Merchant, StoreError>

    /**
     * Like `apply`, but also stores the host's own id for the merchant. Fails with `ExternalIdTaken` if that id is
     * taken.
     */
    readonly applyAs: (
      externalId: string,
      ...application: MerchantApplication
    ) => Effect.Effect<Merchant, ExternalIdTaken | StoreError>

    /**
     * Returns the merchant with this external id, or creates it from the application. Concurrent calls create only one
     * merchant.
     */
    readonly ensure: (externalId: string, ...application: MerchantApplication) => Effect.Effect<Merchant, StoreError>

    readonly get: (id: MerchantId) => Effect.Effect<Merchant, MerchantNotFound | StoreError>

    readonly getByExternalId: (externalId: string) => Effect.Effect<Merchant, ExternalIdNotFound | StoreError>

    /**
     * Changes a merchant's status, and records the actor and the reason. Fails with `StatusChangeNotAllowed` unless
     * `allowedTransitions` contains the new status.
     */
    readonly changeStatus: (
      id: MerchantId,
      change: { readonly to: MerchantStatus; readonly actor: string; readonly reason: string | undefined }
    ) => Effect.Effect<Merchant, MerchantNotFound | StatusChangeNotAllowed | StoreError>

    /** Changes the given settings. Returns the merchant before and after. */
    readonly changeSettings: (
      id: MerchantId,
      change: MerchantSettingsChange
    ) => Effect.Effect<ChangedMerchant, MerchantNotFound | StoreError>

    /** Returns every status change, oldest first. */
    readonly history: (
      id: MerchantId
    ) => Effect.Effect<ReadonlyArray<MerchantStatusChange>, MerchantNotFound | StoreError>

    /** Lists merchants, newest first. If `status` is given, only those with that status. */
    readonly list: (page: PageRequest, status?: MerchantStatus) => Effect.Effect<Page<Merchant>, StoreError>
  }
>()("@surety/core/merchant/Merchants") {}

export const layer: Layer.Layer<Merchants, never, MerchantStore | KeyHolders | SecureRandom.SecureRandom> =
  Layer.effect(
    Merchants,
    Effect.gen(function* () {
      const store = yield* MerchantStore
      const keyHolders = yield* KeyHolders
      const random = yield* SecureRandom.SecureRandom

      const drawn = Effect.fnUntraced(
        function* (externalId: string | undefined, [profile, , settings = {}]: MerchantApplication) {
          const at = yield* DateTime.now
          const merchant: Merchant = {
            id: yield* MerchantId.next,
            businessCode: yield* nextBusinessCode,
            ...(externalId === undefined ? {} : { externalId }),
            profile,
            settings: changedSettings(defaultMerchantSettings, settings),
            status: "PENDING_REVIEW",
            createdAt: at,
            updatedAt: at
          }
          return merchant
        },
        Effect.provideService(SecureRandom.SecureRandom, random)
      )

      const insert = Effect.fnUntraced(
        function* (merchant: Merchant, actor: string) {
          const { createdAt: at, id: merchantId, status: to } = merchant
          return yield* store.insert(merchant, { merchantId, to, actor, at }, yield* createdEvent(merchant))
        },
        Effect.provideService(SecureRandom.SecureRandom, random)
      )

      const apply = Effect.fn("Merchants.apply")((...application: MerchantApplication) =>
        decideUntilCommitted({
          load: Effect.void,
          decide: () => drawn(undefined, application),
          commit: (merchant) => insert(merchant, application[1])
        })
      )

      const applyAs = Effect.fn("Merchants.applyAs")((externalId: string, ...application: MerchantApplication) =>
        decideUntilCommitted({
          load: store.findByExternalId(externalId),
          decide: (holder) =>
            Option.isSome(holder) ? Effect.fail(new ExternalIdTaken({ externalId })) : drawn(externalId, application),
          commit: (merchant) => insert(merchant, application[1])
        })
      )

      const ensure = Effect.fn("Merchants.ensure")((externalId: string, ...application: MerchantApplication) =>
        decideUntilCommitted({
          load: store.findByExternalId(externalId),
          decide: (holder) => (Option.isSome(holder) ? Effect.succeed(holder.value) : drawn(externalId, application)),
          commit: (merchant, holder) =>
            Option.isSome(holder) ? Effect.succeed(true) : insert(merchant, application[1])
        })
      )

      const get = Effect.fn("Merchants.get")(function* (id: MerchantId) {
        const merchant = yield* store.find(id)
        if (Option.isNone(merchant)) return yield* new MerchantNotFound({ merchantId: id })
        return merchant.value
      })

      const getByExternalId = Effect.fn("Merchants.getByExternalId")(function* (externalId: string) {
        const merchant = yield* store.findByExternalId(externalId)
        if (Option.isNone(merchant)) return yield* new ExternalIdNotFound({ externalId })
        return merchant.value
      })

      const changeStatus = Effect.fn("Merchants.changeStatus")(
        function* (
          id: MerchantId,
          {
            actor,
            reason,
            to
          }: {
            readonly to: MerchantStatus
            readonly actor: string
            readonly reason: string | undefined
          }
        ) {
          const moved = yield* decideUntilCommitted({
            load: get(id),
            decide: (merchant) => {
              const allowed = allowedTransitions(merchant.status)
              return allowed.includes(to)
                ? Effect.map(DateTime.now, (at): Merchant => ({ ...merchant, status: to, updatedAt: at }))
                : Effect.fail(new StatusChangeNotAllowed({ merchantId: id, from: merchant.status, to, allowed }))
            },
            commit: ({ updatedAt }, { status }) => {
              const change: MerchantStatusChange = {
                merchantId: id,
                from: status,
                to,
                actor,
                at: updatedAt,
                ...(reason === undefined ? {} : { reason })
              }
              return Effect.flatMap(statusChangedEvent(change), (event) => store.transition(change, event))
            }
          })
          yield* keyHolders.forget
          return moved
        },
        Effect.provideService(SecureRandom.SecureRandom, random)
      )

      const changeSettings = Effect.fn("Merchants.changeSettings")(function* (
        id: MerchantId,
        change: MerchantSettingsChange
      ) {
        return yield* decideUntilCommitted({
          load: get(id),
          decide: (before) =>
            Effect.map(
              DateTime.now,
              (at): ChangedMerchant => ({
                before,
                after: { ...before, settings: changedSettings(before.settings, change), updatedAt: at }
              })
            ),
          commit: ({ after, before }) =>
            store.saveSettings(id, { from: before.settings, to: after.settings }, after.updatedAt)
        })
      })

      const history = Effect.fn("Merchants.history")(function* (id: MerchantId) {
        yield* get(id)
        return yield* store.history(id)
      })

      return Merchants.of({
        apply,
        applyAs,
        ensure,
        get,
        getByExternalId,
        changeStatus,
        changeSettings,
        history,
        list: store.list
      })
    })
  )
