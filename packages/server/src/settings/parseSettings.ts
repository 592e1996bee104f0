import { englishCatalog } from "@surety/consent-page/words/Catalog"
import * as CheckCharacter from "@surety/core/CheckCharacter"
import { defaultAskLimits } from "@surety/core/consent/asking/AskLimits"
import { defaultSettings } from "@surety/core/kyc/KycSettings"
import { AddressRule } from "@surety/webhooks/target/AddressRule"
import * as TargetUrl from "@surety/webhooks/target/TargetUrl"
import { Result } from "effect"
import { readFrom, type SettingFault } from "./Setting.js"
import type { Settings } from "./Settings.js"
import { settingTable } from "./settingTable.js"

const loopback = new Set(["127.0.0.1", "::1", "localhost"])

const requiredInProduction = ["databaseUrl", "operatorToken", "secretKeys"] as const

/**
 * Understands the environment, or lists every fault in it at once.
 *
 * In production the database, the operator's token and the secret key must be set; development has defaults for all.
 */
export const parseSettings = (
  environment: Readonly<Record<string, string | undefined>>
): Result.Result<Settings, ReadonlyArray<SettingFault>> => {
  const faults: Array<SettingFault> = []
  const profile = readFrom(environment, settingTable.profile, "development", faults)
  const host = readFrom(environment, settingTable.host, "127.0.0.1", faults)
  const development = profile === "development"
  const rateLimitRefunds = readFrom(environment, settingTable.rateLimitRefunds, 100, faults)
  const settings: Settings = {
    profile,
    host,
    port: readFrom(environment, settingTable.port, 3000, faults),
    basePath: readFrom(environment, settingTable.basePath, "", faults),
    databaseUrl: readFrom(environment, settingTable.databaseUrl, undefined, faults),
    databaseConnections: readFrom(environment, settingTable.databaseConnections, 16, faults),
    dataDir: readFrom(environment, settingTable.dataDir, ".surety", faults),
    operatorToken: readFrom(environment, settingTable.operatorToken, undefined, faults),
    provisioning: readFrom(
      environment,
      settingTable.provisioning,
      development && loopback.has(host) ? "open" : "token",
      faults
    ),
    secretKeys: readFrom(environment, settingTable.secretKeys, undefined, faults),
    publicUrl: readFrom(environment, settingTable.publicUrl, undefined, faults),
    consentNotifyUrl: readFrom(environment, settingTable.consentNotifyUrl, undefined, faults),
    consentNotifySecret: readFrom(environment, settingTable.consentNotifySecret, undefined, faults),
    consentCode: readFrom(environment, settingTable.consentCode, false, faults),
    consentPageName: readFrom(environment, settingTable.consentPageName, undefined, faults),
    consentPageContact: readFrom(environment, settingTable.consentPageContact, undefined, faults),
    consentPageLanguages: readFrom(environment, settingTable.consentPageLanguages, [englishCatalog], faults),
    consentAsksOpen: readFrom(environment, settingTable.consentAsksOpen, defaultAskLimits.open, faults),
    consentAsksPerDay: readFrom(environment, settingTable.consentAsksPerDay, defaultAskLimits.perDay, faults),
    consentAskAgainAfter: readFrom(environment, settingTable.consentAskAgainAfter, defaultAskLimits.againAfter, faults),
    consumerIdScheme: readFrom(environment, settingTable.consumerIdScheme, CheckCharacter.crockford, faults),
    kycTiers: readFrom(environment, settingTable.kycTiers, defaultSettings.tiers, faults),
    rateLimitRefunds,
    rateLimitRefundsBurst: readFrom(
      environment,
      settingTable.rateLimitRefundsBurst,
      Math.max(200, rateLimitRefunds),
      faults
    ),
    rateLimitOther: readFrom(environment, settingTable.rateLimitOther, 500, faults),
    rateLimitProvisioning: readFrom(environment, settingTable.rateLimitProvisioning, development ? 0 : 60, faults),
    trustedProxies: readFrom(environment, settingTable.trustedProxies, [], faults),
    workers: readFrom(environment, settingTable.workers, true, faults),
    metrics: readFrom(environment, settingTable.metrics, development ? "open" : "token", faults),
    docs: readFrom(environment, settingTable.docs, true, faults),
    logLevel: readFrom(environment, settingTable.logLevel, "Info", faults)
  }
  if (!development) {
    for (const key of requiredInProduction) {
      const { meaning, name } = settingTable[key]
      const isFaultyAlready = faults.some((fault) => fault.name === name)
      if (settings[key] === undefined && !isFaultyAlready) {
        faults.push({ name, detail: `must be set in production: ${meaning}` })
      }
    }
  }
  faults.push(...consentHookFaults(settings, faults))
  return faults.length === 0 ? Result.succeed(settings) : Result.fail(faults)
}

/** Why no connection to the hook would ever be made: what is known of it without looking its host up. */
const refusalOf = (url: string): string | undefined => {
  const checked = TargetUrl.check(url, AddressRule.defaultValue())
  return Result.isFailure(checked) ? checked.failure.detail : undefined
}

/** What of the consent hook is missing, besides what is faulty already. */
const consentHookFaults = (
  { consentCode, consentNotifySecret, consentNotifyUrl, profile }: Settings,
  faults: ReadonlyArray<SettingFault>
): ReadonlyArray<SettingFault> => {
  const isFaulty = (name: string): boolean => faults.some((fault) => fault.name === name)
  const { name: urlName } = settingTable.consentNotifyUrl
  const { name: secretName } = settingTable.consentNotifySecret
  if (isFaulty(urlName) || isFaulty(secretName)) return []
  const refused = profile === "production" && consentNotifyUrl !== undefined ? refusalOf(consentNotifyUrl) : undefined
  return [
    ...(refused === undefined ? [] : [{ name: urlName, detail: `cannot be called in production. ${refused}` }]),
    ...(consentNotifyUrl !== undefined && consentNotifySecret === undefined
      ? [{ name: secretName, detail: `must be set with ${urlName}: ${settingTable.consentNotifySecret.meaning}` }]
      : []),
    ...(consentNotifyUrl === undefined && (consentCode || consentNotifySecret !== undefined)
      ? [{ name: urlName, detail: `must be set with ${consentCode ? settingTable.consentCode.name : secretName}` }]
      : [])
  ]
}

/** The message that a start with wrong settings ends with. */
export const describeFaults = (faults: ReadonlyArray<SettingFault>): string =>
  ["These settings keep Surety from starting:", ...faults.map(({ detail, name }) => `  ${name} ${detail}`)].join("\n")
