import { MerchantId } from "@surety/core/Ids"
import { merchantApplicationFields } from "@surety/core/input/MerchantFields"
import { Purpose } from "@surety/core/input/ShownText"
import { identifierText } from "@surety/core/input/Text"
import { MerchantStatus } from "@surety/core/merchant/Merchant"
import { Merchants } from "@surety/core/merchant/Merchants"
import { ReturnUrls } from "@surety/core/merchant/ReturnUrl"
import { toPage } from "@surety/core/Page"
import { Effect, Redacted, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { InvalidInput } from "../Outcome.js"
import { plainMerchant, plainStatusChange } from "../record/Merchants.js"
import { acting, nameOf } from "./input/actor.js"
import { paging, readHostPage, whole } from "./input/paging.js"

const ExternalId = identifierText(128)

const Settings = Schema.Struct({
  refundsEnabled: Schema.optionalKey(Schema.Boolean),
  settlementOverdraft: Schema.optionalKey(Schema.Boolean),
  purpose: Schema.optionalKey(Schema.NullOr(Purpose)),
  returnUrls: Schema.optionalKey(ReturnUrls)
})

const Application = Schema.Struct(merchantApplicationFields)

const applicationOf = ({ contactEmail, contactName, returnUrls, ...profile }: typeof Application.Type) =>
  [
    { ...profile, contactName: Redacted.make(contactName), contactEmail: Redacted.make(contactEmail) },
    nameOf(),
    returnUrls === undefined ? {} : { returnUrls }
  ] as const

const notOneName = new InvalidInput({
  faults: [{ path: ["merchantId"], code: "required", detail: "Give either merchantId or externalId." }]
})

const Named = Schema.Struct({
  merchantId: Schema.optionalKey(MerchantId),
  externalId: Schema.optionalKey(ExternalId)
})

/** The merchants on the host's platform. */
export const merchants = (run: Run) => ({
  /**
   * Creates a merchant in `PENDING_REVIEW`, with immediate access to the sandbox. `externalId` is the host's own id for
   * the merchant, unique and immutable. Fails with `ExternalIdTaken` if another merchant has that id.
   */
  create: call(
    run,
    Schema.Struct({ externalId: Schema.optionalKey(ExternalId), ...Application.fields }),
    ({ externalId, ...application }) =>
      Effect.gen(function* () {
        const service = yield* Merchants
        const applied = applicationOf(application)
        return plainMerchant(
          yield* externalId === undefined ? service.apply(...applied) : service.applyAs(externalId, ...applied)
        )
      })
  ),

  /**
   * Returns the merchant with this `externalId`, unchanged, or creates one from the given application. Concurrent calls
   * create only one merchant.
   *
   * @example
   * await surety.merchants.ensure({ externalId: "seller-7", ...application })
   */
  ensure: call(
    run,
    Schema.Struct({ externalId: ExternalId, ...Application.fields }),
    ({ externalId, ...application }) =>
      Effect.flatMap(Merchants, (service) =>
        Effect.map(service.ensure(externalId, ...applicationOf(application)), plainMerchant)
      )
  ),

  /** Returns a merchant by `merchantId` or by the host's own `externalId`. Give exactly one of them. */
  get: call(run, Named, ({ externalId, merchantId }) =>
    Effect.gen(function* () {
      const service = yield* Merchants
      if (merchantId !== undefined && externalId === undefined) return plainMerchant(yield* service.get(merchantId))
      if (merchantId !== undefined || externalId === undefined) return yield* notOneName
      return plainMerchant(yield* service.getByExternalId(externalId))
    })
  ),

  /** All merchants, newest first. */
  list: call(run, paging, (page) =>
    Effect.flatMap(Merchants, (service) =>
      Effect.map(readHostPage(["operator.listMerchants"], page, service.list), (found) => toPage(found, plainMerchant))
    )
  ),

  /**
   * Changes a merchant's status. `ACTIVE` allows LIVE keys. The change stores the name of `actor`, who made the
   * decision, or the actor's kind if unnamed. Fails with `StatusChangeNotAllowed` if the current status does not allow
   * the new one.
   */
  changeStatus: call(
    run,
    Schema.Struct({
      merchantId: MerchantId,
      status: MerchantStatus,
      reason: Schema.optionalKey(Schema.String),
      ...acting
    }),
    ({ actor, merchantId, reason, status }) =>
      Effect.flatMap(Merchants, (service) =>
        Effect.map(service.changeStatus(merchantId, { to: status, actor: nameOf(actor), reason }), plainMerchant)
      )
  ),

  /** Every status change, oldest first. */
  history: call(run, Schema.Struct({ merchantId: MerchantId }), ({ merchantId }) =>
    Effect.flatMap(Merchants, (service) =>
      Effect.map(service.history(merchantId), (changes) => whole(changes.map(plainStatusChange)))
    )
  ),

  changeSettings: call(run, Schema.Struct({ merchantId: MerchantId, settings: Settings }), ({ merchantId, settings }) =>
    Effect.flatMap(Merchants, (service) =>
      Effect.map(service.changeSettings(merchantId, settings), ({ after }) => plainMerchant(after))
    )
  )
})
