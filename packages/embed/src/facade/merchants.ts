import { MerchantId } from "@surety/core/Ids"
import { merchantApplicationFields } from "@surety/core/input/MerchantFields"
import { Purpose } from "@surety/core/input/ShownText"
import { MerchantStatus } from "@surety/core/merchant/Merchant"
import { Merchants } from "@surety/core/merchant/Merchants"
import { ReturnUrls } from "@surety/core/merchant/ReturnUrl"
import { toPage } from "@surety/core/Page"
import { Effect, Redacted, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainMerchant } from "../record/Merchants.js"
import { paging, readHostPage } from "./paging.js"

const host = "host"

const Settings = Schema.Struct({
  refundsEnabled: Schema.optionalKey(Schema.Boolean),
  settlementOverdraft: Schema.optionalKey(Schema.Boolean),
  purpose: Schema.optionalKey(Schema.NullOr(Purpose)),
  returnUrls: Schema.optionalKey(ReturnUrls)
})

/** Merchants from application to closing. */
export const merchants = (run: Run) => ({
  /** A new merchant in `PENDING_REVIEW`, sandbox-ready at once. */
  create: call(run, Schema.Struct(merchantApplicationFields), ({ contactEmail, contactName, returnUrls, ...profile }) =>
    Effect.gen(function* () {
      const service = yield* Merchants
      const merchant = yield* service.apply(
        { ...profile, contactName: Redacted.make(contactName), contactEmail: Redacted.make(contactEmail) },
        host,
        returnUrls === undefined ? {} : { returnUrls }
      )
      return plainMerchant(merchant)
    })
  ),

  get: call(run, Schema.Struct({ merchantId: MerchantId }), ({ merchantId }) =>
    Effect.flatMap(Merchants, (service) => Effect.map(service.get(merchantId), plainMerchant))
  ),

  /** Newest first. */
  list: call(run, paging, (page) =>
    Effect.flatMap(Merchants, (service) =>
      Effect.map(readHostPage(["operator.listMerchants"], page, service.list), (found) => toPage(found, plainMerchant))
    )
  ),

  /** `ACTIVE` lets a merchant have LIVE keys. `actor` names who decided and is stored with the change. */
  changeStatus: call(
    run,
    Schema.Struct({
      merchantId: MerchantId,
      status: MerchantStatus,
      reason: Schema.optionalKey(Schema.String),
      actor: Schema.optionalKey(Schema.String)
    }),
    ({ actor = host, merchantId, reason, status }) =>
      Effect.flatMap(Merchants, (service) =>
        Effect.map(service.changeStatus(merchantId, { to: status, actor, reason }), plainMerchant)
      )
  ),

  changeSettings: call(run, Schema.Struct({ merchantId: MerchantId, settings: Settings }), ({ merchantId, settings }) =>
    Effect.flatMap(Merchants, (service) => Effect.map(service.changeSettings(merchantId, settings), plainMerchant))
  )
})
