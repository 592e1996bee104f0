import { kycVendors } from "../kyc/kycSetup.js"
import { settingTable } from "./Settings.js"

/** What `surety --help` says of every setting: its name, meaning and default. */
export const settingLines = (): ReadonlyArray<string> => [
  "",
  "SETTINGS (environment variables)",
  ...[...Object.values(settingTable), ...kycVendors.flatMap(({ settings }) => settings)].map(
    ({ defaultText, meaning, name }) => `  ${name}\n      ${meaning} (default: ${defaultText})`
  )
]
