import { AddressRule } from "@surety/webhooks/target/AddressRule"
import * as TargetUrl from "@surety/webhooks/target/TargetUrl"
import { Result } from "effect"
import type { KycVendor } from "../kyc/KycVendor.js"
import { kycVendors, readKycSetup } from "../kyc/kycSetup.js"
import { readTable, type SettingFault, type Values } from "./Setting.js"
import { type Settings, settingTable } from "./Settings.js"

const requiredInProduction = ["databaseUrl", "operatorToken", "secretKeys"] as const

/**
 * The settings of an environment, or every fault in it. Rules across settings follow the table: what production
 * requires, and what the consent hook needs together.
 */
export const parseSettings = (
  environment: Readonly<Record<string, string | undefined>>,
  vendors: ReadonlyArray<KycVendor> = kycVendors
): Result.Result<Settings, ReadonlyArray<SettingFault>> => {
  const { faults: wrong, values } = readTable(settingTable, environment)
  const kyc = readKycSetup(values.kycRoutes, environment, vendors)
  const rest = [
    ...missingInProduction(values, wrong),
    ...consentHookFaults(values, wrong),
    ...platformEventsFaults(values, wrong)
  ]
  const faults = [...wrong, ...rest, ...(Result.isFailure(kyc) ? kyc.failure : [])]
  return faults.length === 0 && Result.isSuccess(kyc)
    ? Result.succeed({ ...values, kyc: kyc.success })
    : Result.fail(faults)
}

type Read = Values<typeof settingTable>

const missingInProduction = (settings: Read, faults: ReadonlyArray<SettingFault>): ReadonlyArray<SettingFault> => {
  if (settings.profile !== "production") return []
  return requiredInProduction
    .filter((key) => settings[key] === undefined)
    .map((key) => settingTable[key])
    .filter(({ name }) => faults.every((fault) => fault.name !== name))
    .map(({ meaning, name }) => ({ name, detail: `must be set in production: ${meaning}` }))
}

/** Why a hook would never be called, as far as its url shows without a lookup. */
const refusalOf = (url: string): string | undefined => {
  const checked = TargetUrl.check(url, AddressRule.defaultValue())
  return Result.isFailure(checked) ? checked.failure.detail : undefined
}

/** What is missing or wrong about the consent hook, unless a part of it is faulty already. */
const consentHookFaults = (
  { consentCode, consentNotifySecret, consentNotifyUrl, profile }: Read,
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

/** What is missing or wrong about the platform's events, unless a part of it is faulty already. */
const platformEventsFaults = (
  { platformEventsSecret: secret, platformEventsUrl: url, profile }: Read,
  faults: ReadonlyArray<SettingFault>
): ReadonlyArray<SettingFault> => {
  const { name: urlName } = settingTable.platformEventsUrl
  const { meaning, name: secretName } = settingTable.platformEventsSecret
  if (faults.some(({ name }) => name === urlName || name === secretName)) return []
  if (url === undefined)
    return secret === undefined ? [] : [{ name: urlName, detail: `must be set with ${secretName}` }]
  if (url === "off") return []
  const refused = profile === "production" ? refusalOf(url) : undefined
  return [
    ...(refused === undefined ? [] : [{ name: urlName, detail: `cannot be called in production. ${refused}` }]),
    ...(secret === undefined ? [{ name: secretName, detail: `must be set with ${urlName}: ${meaning}` }] : [])
  ]
}

/** The message that a start with wrong settings ends with. */
export const describeFaults = (faults: ReadonlyArray<SettingFault>): string =>
  ["These settings keep Surety from starting:", ...faults.map(({ detail, name }) => `  ${name} ${detail}`)].join("\n")
