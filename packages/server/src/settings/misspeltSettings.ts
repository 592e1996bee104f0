import { slipsBetween } from "@surety/core/input/nearestName"
import { kycVendors } from "../kyc/kycSetup.js"
import type { SettingFault } from "./Setting.js"
import { settingTable } from "./Settings.js"

const mostSlips = 2

/**
 * Excludes short names and names without an underscore, such as `HOME`, which resembles `HOST` but means something
 * else.
 */
const looksLikeASetting = (name: string) => name.includes("_") && name.length > 2 * mostSlips

const fileSuffix = "_FILE"

/** Returns the setting for which a variable names a file, by a convention of images that this server does not follow. */
const inFile = (name: string, known: ReadonlyArray<string>): string | undefined =>
  known.find((one) => name === `${one}${fileSuffix}`)

/**
 * Reports variables that are probably misspelt settings: they look like a setting and are within two typos of one. Also
 * reports `…_FILE` for a setting.
 */
export const misspeltSettings = (
  environment: Readonly<Record<string, string | undefined>>
): ReadonlyArray<SettingFault> => {
  const known = [...Object.values(settingTable), ...kycVendors.flatMap(({ settings }) => settings)].map(
    ({ name }) => name
  )
  return Object.keys(environment)
    .filter((name) => looksLikeASetting(name) && !known.includes(name))
    .flatMap((name) => {
      const variable = inFile(name, known)
      if (variable !== undefined) {
        return [{ name, detail: `is not a setting and is ignored. Set ${variable} to the file's content.` }]
      }
      const meant = known.find((one) => slipsBetween(name, one) <= mostSlips)
      return meant === undefined ? [] : [{ name, detail: `is not a setting and is ignored. Did you mean ${meant}?` }]
    })
}
