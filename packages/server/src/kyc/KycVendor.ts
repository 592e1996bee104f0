import type { SettingInForce } from "@surety/console/ConsoleSettings"
import type { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import type { VerificationKind } from "@surety/core/kyc/verification/Verification"
import type { Effect, Layer, Option } from "effect"
import { readTable, type Setting, type SettingFault, type Values } from "../settings/Setting.js"
import { settingsInForce } from "../settings/settingsInForce.js"

type Environment = Readonly<Record<string, string | undefined>>

export interface VendorReading {
  /** Faults in the settings that are set. In production, settings for the vendor's sandbox are a fault too. */
  readonly faults: ReadonlyArray<SettingFault>
  /** Required settings that are not set. */
  readonly missing: ReadonlyArray<Setting<unknown>>
  /** True if any of the vendor's settings is set. */
  readonly isNamed: boolean
  /** The vendor's settings as operators see them, without secrets. */
  readonly inForce: ReadonlyArray<SettingInForce>
  /** The provider. Undefined if a required setting is missing, or if there are faults. */
  readonly provider: Layer.Layer<KycProvider> | undefined
  /**
   * Checks free of charge whether the vendor accepts the credentials. `None` if the check is inconclusive. Undefined if
   * the vendor has no such call, or if `provider` is undefined.
   */
  readonly accepts: Effect.Effect<Option.Option<boolean>> | undefined
}

/** A KYC vendor that the server supports. Its `name` is the one in `KYC_ROUTES`. */
export interface KycVendor {
  readonly name: string
  readonly kinds: ReadonlyArray<VerificationKind>
  /** Listed in `--help`. */
  readonly settings: ReadonlyArray<Setting<unknown>>
  readonly read: (environment: Environment) => VendorReading
}

const madeUp = "points to the vendor's sandbox, whose people do not exist; production verifies real people"

/**
 * Builds a vendor from its settings, whose names begin with `KYC_<VENDOR>_`. Those in `required` have no default.
 * `fromSettings` is called only if all of them are set and no setting is faulty. In production, a setting that selects
 * the vendor's sandbox is faulty.
 *
 * @example
 * const kora = vendor({
 *   name: "kora",
 *   kinds: ["bvn", "nin"],
 *   settings: { secretKey: setting("KYC_KORA_SECRET_KEY", { meaning: "Kora's secret key", unset: "unset", read }) },
 *   required: ["secretKey"],
 *   fromSettings: ({ secretKey }) => Kora.layer({ secretKey })
 * })
 */
export const vendor = <
  const Table extends Readonly<Record<string, Setting<unknown>>>,
  const Required extends keyof Table & string
>({
  accepts,
  fromSettings,
  sandboxSetting = () => undefined,
  kinds,
  name,
  required,
  settings
}: {
  readonly name: string
  readonly kinds: ReadonlyArray<VerificationKind>
  readonly settings: Table
  readonly required: ReadonlyArray<Required>
  readonly fromSettings: (values: Complete<Values<Table>, Required>) => Layer.Layer<KycProvider>
  /**
   * Returns the name of the setting that selects the vendor's sandbox, if one does. Production then refuses to start,
   * since the sandbox's people do not exist.
   */
  readonly sandboxSetting?: (values: Complete<Values<Table>, Required>) => string | undefined
  /** Checks the credentials for `surety doctor`. Undefined if the vendor has no free call for this. */
  readonly accepts?: (values: Complete<Values<Table>, Required>) => Effect.Effect<Option.Option<boolean>>
}): KycVendor => ({
  name,
  kinds,
  settings: Object.values(settings),
  read: (environment) => {
    const reading = readTable(settings, environment)
    const { faults, values } = reading
    const isSet = ({ name: variable }: Setting<unknown>) => (environment[variable] ?? "").trim() !== ""
    const missing = Object.entries<Setting<unknown>>(settings).flatMap(([key, each]) =>
      required.some((name) => name === key) && !isSet(each) ? [each] : []
    )
    const complete = faults.length === 0 && isComplete(values, required) ? values : undefined
    const isProduction = environment.SURETY_PROFILE?.trim() === "production"
    const sandbox = isProduction && complete !== undefined ? sandboxSetting(complete) : undefined
    const isUsable = complete !== undefined && sandbox === undefined
    return {
      faults: sandbox === undefined ? faults : [{ name: sandbox, detail: madeUp }],
      missing,
      isNamed: Object.values(settings).some(isSet),
      inForce: settingsInForce(settings, reading),
      provider: isUsable ? fromSettings(complete) : undefined,
      accepts: isUsable ? accepts?.(complete) : undefined
    }
  }
})

export type Complete<V, Required extends PropertyKey> = {
  readonly [Key in keyof V]: Key extends Required ? Exclude<V[Key], undefined> : V[Key]
}

const isComplete = <V extends object, Required extends keyof V>(
  values: V,
  required: ReadonlyArray<Required>
): values is V & Complete<V, Required> => required.every((key) => values[key] !== undefined)
