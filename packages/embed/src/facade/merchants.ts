import { MerchantId } from "@surety/core/Ids"
import { EmailAddress, SiteUrl } from "@surety/core/input/Addresses"
import { Country } from "@surety/core/input/Country"
import { merchantName, Purpose, registeredName, shownText } from "@surety/core/input/ShownText"
import { MerchantStatus } from "@surety/core/merchant/Merchant"
import { Merchants } from "@surety/core/merchant/Merchants"
import { Effect, Redacted, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainMerchant } from "../record/Merchants.js"
import { paging, readHostPage, toHostPage } from "./paging.js"

const host = "host"

const Application = Schema.Struct({
  name: merchantName(120),
  legalName: registeredName(200),
  contactName: shownText(120),
  contactEmail: EmailAddress,
  supportEmail: Schema.optionalKey(EmailAddress),
  websiteUrl: Schema.optionalKey(SiteUrl),
  country: Country,
  businessType: shownText(80),
  registrationNumber: Schema.optionalKey(shownText(64))
})

const Settings = Schema.Struct({
  refundsEnabled: Schema.optionalKey(Schema.Boolean),
  settlementOverdraft: Schema.optionalKey(Schema.Boolean),
  purpose: Schema.optionalKey(Schema.NullOr(Purpose))
})

/** Merchants from application to closing. */
export const merchants = (run: Run) => ({
  /** A new merchant in `PENDING_REVIEW`, sandbox-ready at once. */
  create: call(run, Application, ({ contactEmail, contactName, ...profile }) =>
    Effect.gen(function* () {
      const service = yield* Merchants
      const merchant = yield* service.apply(
        { ...profile, contactName: Redacted.make(contactName), contactEmail: Redacted.make(contactEmail) },
        host
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
      Effect.map(readHostPage(["operator.listMerchants"], page, service.list), (found) =>
        toHostPage(found, plainMerchant)
      )
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
