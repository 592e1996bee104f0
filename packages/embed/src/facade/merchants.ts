import { MerchantId } from "@surety/core/Ids"
import { MerchantStatus } from "@surety/core/merchant/Merchant"
import { Merchants } from "@surety/core/merchant/Merchants"
import { toPage } from "@surety/http/field/Paging"
import { OperatorMerchantRecord, operatorMerchantRecord } from "@surety/http/merchant/MerchantRecord"
import { MerchantApplication } from "@surety/http/merchant/MerchantsApi"
import { MerchantSettingsRequest } from "@surety/http/operator/OperatorApi"
import { Effect, Redacted, Schema } from "effect"
import { call, plain, type Run } from "../Call.js"
import { paging, readPage } from "./paging.js"

const record = plain(OperatorMerchantRecord)
const answered = (merchant: Parameters<typeof operatorMerchantRecord>[0]) => record(operatorMerchantRecord(merchant))

const host = "host"

/** Merchants, from application to closing. */
export const merchants = (run: Run) => ({
  /** Creates a merchant in `PENDING_REVIEW`, which may use TEST at once. */
  create: call(run, MerchantApplication, ({ contactEmail, contactName, ...profile }) =>
    Effect.gen(function* () {
      const service = yield* Merchants
      const merchant = yield* service.apply(
        { ...profile, contactName: Redacted.make(contactName), contactEmail: Redacted.make(contactEmail) },
        host
      )
      return answered(merchant)
    })
  ),

  get: call(run, Schema.Struct({ merchantId: MerchantId }), ({ merchantId }) =>
    Effect.flatMap(Merchants, (service) => Effect.map(service.get(merchantId), answered))
  ),

  /** Newest first. */
  list: call(run, paging, (page) =>
    Effect.flatMap(Merchants, (service) =>
      Effect.map(readPage(["operator.listMerchants"], page, service.list), (found) => toPage(found, answered))
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
        Effect.map(service.changeStatus(merchantId, { to: status, actor, reason }), answered)
      )
  ),

  changeSettings: call(
    run,
    Schema.Struct({ merchantId: MerchantId, settings: MerchantSettingsRequest }),
    ({ merchantId, settings }) =>
      Effect.flatMap(Merchants, (service) => Effect.map(service.changeSettings(merchantId, settings), answered))
  )
})
