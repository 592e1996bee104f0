import { Result } from "effect"
import type { KycVendor } from "../kyc/KycVendor.js"
import { kycVendors, readKycSetup } from "../kyc/kycSetup.js"
import { leastConnections } from "./cellSettings.js"
import { hookFaults } from "./hookFaults.js"
import { readTable, type SettingFault, type Values } from "./Setting.js"
import { type Settings, settingTable } from "./Settings.js"
import { settingsInForce } from "./settingsInForce.js"
import { tokenHashOf } from "./tokenHashOf.js"

const requiredInProduction = ["databaseUrl", "operatorToken", "secretKeys"] as const

/**
 * Parses the settings of an environment, or returns every fault in it. First parses each setting of the table. Then
 * checks what production, hooks, the identity provider, cells and KYC vendors require.
 */
export const parseSettings = (
  environment: Readonly<Record<string, string | undefined>>,
  vendors: ReadonlyArray<KycVendor> = kycVendors
): Result.Result<Settings, ReadonlyArray<SettingFault>> => {
  const reading = readTable(settingTable, environment)
  const { faults: wrong, values } = reading
  const kyc = readKycSetup(values.kycRoutes, environment, vendors)
  const faults = [
    ...wrong,
    ...missingInProduction(values, wrong),
    ...hookFaults(values, wrong),
    ...missingForOidc(values, wrong),
    ...sharedToken(values),
    ...cellFaults(values, wrong),
    ...uncheckedTls(values, environment),
    ...(Result.isFailure(kyc) ? kyc.failure : [])
  ]
  return faults.length === 0 && Result.isSuccess(kyc)
    ? Result.succeed({
        ...values,
        kyc: kyc.success,
        inForce: [...settingsInForce(settingTable, reading), ...kyc.success.inForce]
      })
    : Result.fail(faults)
}

type Read = Values<typeof settingTable>

const missingInProduction = (settings: Read, faults: ReadonlyArray<SettingFault>): ReadonlyArray<SettingFault> => {
  if (settings.profile !== "production") return []
  return requiredInProduction
    .filter((key) => settings[key] === undefined && !(key === "operatorToken" && settings.operators !== undefined))
    .map((key) => settingTable[key])
    .filter(({ name }) => faults.every((fault) => fault.name !== name))
    .map(({ meaning, name }) => ({ name, detail: `must be set in production: ${meaning}` }))
}

/** Reports an operator whose token is also `OPERATOR_TOKEN`: its holder would act as the unnamed admin. */
const sharedToken = ({ operators = [], operatorToken }: Read): ReadonlyArray<SettingFault> => {
  if (operatorToken === undefined) return []
  const hash = tokenHashOf(operatorToken)
  return operators.flatMap(({ name, tokenHash }) =>
    tokenHash === hash
      ? [{ name: settingTable.operators.name, detail: `gives ${name} the token of ${settingTable.operatorToken.name}` }]
      : []
  )
}

/** Node's own variable. It also turns off the checks of KYC vendors' and the database's certificates. */
const rejectUnauthorized = "NODE_TLS_REJECT_UNAUTHORIZED"

const uncheckedTls = (
  { profile }: Read,
  environment: Readonly<Record<string, string | undefined>>
): ReadonlyArray<SettingFault> =>
  profile === "production" && environment[rejectUnauthorized] === "0"
    ? [
        {
          name: rejectUnauthorized,
          detail:
            "must not be 0 in production: Node would check no certificate. Remove it; NODE_EXTRA_CA_CERTS adds an authority"
        }
      ]
    : []

const requiredForOidc = ["consoleOidcClientId", "consoleOidcClientSecret", "consoleOidcRoles"] as const

/** Reports an unset issuer, if another setting shows that sign-in through an identity provider was meant. */
const withoutIssuer = (settings: Read, faults: ReadonlyArray<SettingFault>): ReadonlyArray<SettingFault> => {
  const { name } = settingTable.consoleOidcIssuer
  const meant = requiredForOidc.find((key) => settings[key] !== undefined)
  return meant === undefined || faults.some((fault) => fault.name === name)
    ? []
    : [{ name, detail: `must be set with ${settingTable[meant].name}` }]
}

/**
 * Reports unset settings that sign-in through an identity provider needs. In production, also reports an issuer without
 * https.
 */
const missingForOidc = (settings: Read, faults: ReadonlyArray<SettingFault>): ReadonlyArray<SettingFault> => {
  const { consoleOidcIssuer: issuer, profile } = settings
  if (issuer === undefined) return withoutIssuer(settings, faults)
  const missing = requiredForOidc
    .filter((key) => settings[key] === undefined)
    .map((key) => settingTable[key])
    .filter(({ name }) => faults.every((fault) => fault.name !== name))
    .map(({ meaning, name }) => ({ name, detail: `must be set with CONSOLE_OIDC_ISSUER: ${meaning}` }))
  return profile === "production" && new URL(issuer).protocol !== "https:"
    ? [...missing, { name: settingTable.consoleOidcIssuer.name, detail: "must be https in production" }]
    : missing
}

/**
 * If cells are configured, reports settings that conflict with them: both `CELLS` and `CELLS_FILE`, an unset
 * `DATABASE_URL`, or too few connections.
 */
const cellFaults = (settings: Read, faults: ReadonlyArray<SettingFault>): ReadonlyArray<SettingFault> => {
  const { cells, cellsFile, databaseConnections, databaseUrl } = settings
  const isSet = ({ name }: Pick<SettingFault, "name">, value: unknown) =>
    value !== undefined || faults.some((fault) => fault.name === name)
  const hasList = isSet(settingTable.cells, cells)
  if (!hasList && !isSet(settingTable.cellsFile, cellsFile)) return []
  const named = hasList ? settingTable.cells.name : settingTable.cellsFile.name
  const url = settingTable.databaseUrl.name
  const isFaulty = faults.some(({ name }) => name === url)
  return [
    ...(cells !== undefined && cellsFile !== undefined
      ? [{ name: settingTable.cellsFile.name, detail: "must not be set together with CELLS" }]
      : []),
    ...(databaseUrl === undefined && !isFaulty ? [{ name: url, detail: `must be set with ${named}` }] : []),
    ...(databaseConnections < leastConnections
      ? [
          {
            name: settingTable.databaseConnections.name,
            detail: `is ${databaseConnections}; with ${named} it must be at least ${leastConnections}`
          }
        ]
      : [])
  ]
}

export const describeFaults = (faults: ReadonlyArray<SettingFault>): string =>
  ["Surety cannot start with these settings:", ...faults.map(({ detail, name }) => `  ${name} ${detail}`)].join("\n")

/** Returns the settings section of `surety --help`. */
export const settingLines = (): ReadonlyArray<string> => [
  "",
  "SETTINGS (environment variables)",
  ...[...Object.values(settingTable), ...kycVendors.flatMap(({ settings }) => settings)].map(
    ({ defaultText, meaning, name }) => `  ${name}\n      ${meaning} (default: ${defaultText})`
  )
]
