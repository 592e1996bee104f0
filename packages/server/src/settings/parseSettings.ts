import { Result } from "effect"
import { hookFaults } from "./hookFaults.js"
import { readTable, type SettingFault } from "./Setting.js"
import { type Settings, settingTable } from "./Settings.js"

const requiredInProduction = ["databaseUrl", "operatorToken", "secretKeys"] as const

/**
 * The settings of an environment, or every fault in it. Rules across settings follow the table: what production
 * requires, and what each hook needs together.
 */
export const parseSettings = (
  environment: Readonly<Record<string, string | undefined>>
): Result.Result<Settings, ReadonlyArray<SettingFault>> => {
  const { faults: wrong, values: settings } = readTable(settingTable, environment)
  const faults = [...wrong, ...missingInProduction(settings, wrong), ...hookFaults(settings, wrong)]
  return faults.length === 0 ? Result.succeed(settings) : Result.fail(faults)
}

const missingInProduction = (settings: Settings, faults: ReadonlyArray<SettingFault>): ReadonlyArray<SettingFault> => {
  if (settings.profile !== "production") return []
  return requiredInProduction
    .filter((key) => settings[key] === undefined)
    .map((key) => settingTable[key])
    .filter(({ name }) => faults.every((fault) => fault.name !== name))
    .map(({ meaning, name }) => ({ name, detail: `must be set in production: ${meaning}` }))
}

/** The message that a start with wrong settings ends with. */
export const describeFaults = (faults: ReadonlyArray<SettingFault>): string =>
  ["These settings keep Surety from starting:", ...faults.map(({ detail, name }) => `  ${name} ${detail}`)].join("\n")
