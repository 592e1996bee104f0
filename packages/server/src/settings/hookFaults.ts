import { AddressRule } from "@surety/webhooks/target/AddressRule"
import * as TargetUrl from "@surety/webhooks/target/TargetUrl"
import { Result } from "effect"
import type { SettingFault, Values } from "./Setting.js"
import { settingTable } from "./Settings.js"

type Read = Values<typeof settingTable>

export const hookPairs = [
  { url: "consentNotifyUrl", secret: "consentNotifySecret" },
  { url: "walletUrl", secret: "walletSecret" },
  { url: "directoryUrl", secret: "directorySecret" },
  { url: "platformEventsUrl", secret: "platformEventsSecret" }
] as const

/** Returns the reason why production would refuse to call a url, if it is evident without a DNS lookup. */
const refusalOf = (url: string): string | undefined => {
  const checked = TargetUrl.check(url, AddressRule.defaultValue())
  return Result.isFailure(checked) ? checked.failure.detail : undefined
}

const pairFaults = (
  settings: Read,
  pair: (typeof hookPairs)[number],
  isFaulty: (name: string) => boolean
): ReadonlyArray<SettingFault> => {
  const { meaning, name: secretName } = settingTable[pair.secret]
  const { name: urlName } = settingTable[pair.url]
  if (isFaulty(urlName) || isFaulty(secretName) || isFaulty(settingTable.hookHosts.name)) return []
  const url = settings[pair.url]
  const secret = settings[pair.secret]
  if (url === undefined)
    return secret === undefined ? [] : [{ name: urlName, detail: `must be set with ${secretName}` }]
  if (url === "off") return []
  const isChecked = settings.profile === "production" && !TargetUrl.isNamed(url, settings.hookHosts)
  const refused = isChecked ? refusalOf(url) : undefined
  return [
    ...(refused === undefined
      ? []
      : [{ name: urlName, detail: `cannot be called in production. ${refused} Or name its host in HOOK_HOSTS.` }]),
    ...(secret === undefined ? [{ name: secretName, detail: `must be set with ${urlName}: ${meaning}` }] : [])
  ]
}

/** Reports unset hook urls that `CONSENT_CODE` or `DIRECTORY_FIELDS` requires. */
const missingFaults = (settings: Read, isFaulty: (name: string) => boolean): ReadonlyArray<SettingFault> => {
  const { consentCode, consentNotifySecret, consentNotifyUrl, directoryFields, directoryUrl } = settings
  const { name: urlName } = settingTable.consentNotifyUrl
  const wanting = consentCode && consentNotifyUrl === undefined && consentNotifySecret === undefined
  return [
    ...(wanting && !isFaulty(urlName) && !isFaulty(settingTable.consentNotifySecret.name)
      ? [{ name: urlName, detail: `must be set with ${settingTable.consentCode.name}` }]
      : []),
    ...(directoryFields.length > 0 && directoryUrl === undefined && !isFaulty(settingTable.directoryUrl.name)
      ? [{ name: settingTable.directoryUrl.name, detail: `must be set with ${settingTable.directoryFields.name}` }]
      : [])
  ]
}

/** Reports missing or invalid hook settings, except those that already have a fault. */
export const hookFaults = (settings: Read, faults: ReadonlyArray<SettingFault>): ReadonlyArray<SettingFault> => {
  const isFaulty = (name: string): boolean => faults.some((fault) => fault.name === name)
  return [...hookPairs.flatMap((pair) => pairFaults(settings, pair, isFaulty)), ...missingFaults(settings, isFaulty)]
}
