import * as Currency from "@surety/core/Currency"
import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { MerchantId, PaymentId, RefundId, UserId } from "@surety/core/Ids"
import { directoryBody, readFields } from "@surety/webhooks/hook/DirectoryHook"
import type { HookCall, HookTarget } from "@surety/webhooks/hook/HookCaller"
import type { HookName } from "@surety/webhooks/hook/HookMetrics"
import { creditBody, lookupUrl, readCreditAnswer, readLookupAnswer } from "@surety/webhooks/hook/WalletHook"
import type { Schema } from "effect"
import { targetsOf } from "../hook/hooks.js"
import { type Settings, settingTable } from "../settings/Settings.js"
import { acknowledges, answers, type HookTrial, type TrialCall } from "./HookTrial.js"

/** An id that no record has. All test credits share it, so a platform that overlooks `test` pays at most once. */
const uuid = "00000000-0000-7000-8000-000000000000"

const person = {
  environment: "LIVE",
  userId: UserId.make("service-doctor"),
  serviceId: ConsumerId.make("SR1-TEST-2345-3")
} as const

const credit = {
  refundId: RefundId.fromUuid(uuid),
  scope: { merchantId: MerchantId.fromUuid(uuid), environment: "LIVE" },
  paymentId: PaymentId.make("service-doctor"),
  userId: person.userId,
  serviceId: person.serviceId,
  amount: { currency: Currency.NGN, minor: 100n }
} as const

/** Builds a call with `test: true`. The platform must not change anything in response to it. */
const testCall = (
  hook: HookName,
  target: HookTarget,
  topic: string,
  body: Readonly<Record<string, Schema.Json>>
): HookCall => ({
  hook,
  target,
  topic,
  id: `service-doctor-${topic}`,
  environment: "LIVE",
  body: { test: true, ...body }
})

const walletCalls = (target: HookTarget): HookTrial["calls"] => [
  {
    what: "a credit",
    call: testCall("wallet", target, "wallet.credit", creditBody(credit, undefined)),
    read: answers("wallet", readCreditAnswer)
  },
  {
    what: "a lookup",
    call: testCall("wallet", { ...target, url: lookupUrl(target.url) }, "wallet.lookup", { refundId: credit.refundId }),
    read: answers("wallet", readLookupAnswer)
  }
]

const directoryCalls = (target: HookTarget): HookTrial["calls"] => [
  {
    what: "a read",
    call: testCall("directory", target, "directory.read", directoryBody(person, undefined, ["display_name"])),
    read: answers("directory", readFields)
  }
]

const consentCall = (target: HookTarget): TrialCall => ({
  what: "a request",
  call: testCall("consent", target, "consent.requested", {
    type: "consent.requested",
    userId: person.userId,
    serviceId: person.serviceId
  }),
  read: acknowledges("consent")
})

const eventCall = (target: HookTarget): TrialCall => ({
  what: "an event",
  call: testCall("events", target, "merchant.created", { merchantId: credit.scope.merchantId }),
  read: acknowledges("events")
})

export const hookTrials = (settings: Settings): ReadonlyArray<HookTrial> => {
  const { consent, directory, platformEvents, wallet } = targetsOf(settings)
  return [
    {
      hook: "wallet",
      urlSetting: settingTable.walletUrl.name,
      secretSetting: settingTable.walletSecret.name,
      calls: wallet === undefined ? undefined : walletCalls(wallet)
    },
    {
      hook: "directory",
      urlSetting: settingTable.directoryUrl.name,
      secretSetting: settingTable.directorySecret.name,
      calls: directory === undefined ? undefined : directoryCalls(directory)
    },
    {
      hook: "consent",
      urlSetting: settingTable.consentNotifyUrl.name,
      secretSetting: settingTable.consentNotifySecret.name,
      calls: consent === undefined ? undefined : [consentCall(consent)]
    },
    {
      hook: "events",
      urlSetting: settingTable.platformEventsUrl.name,
      secretSetting: settingTable.platformEventsSecret.name,
      calls: platformEvents === undefined ? undefined : [eventCall(platformEvents)]
    }
  ]
}
