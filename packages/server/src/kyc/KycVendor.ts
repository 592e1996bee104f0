import type { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import type { VerificationKind } from "@surety/core/kyc/verification/Verification"
import type { Effect, Layer, Option } from "effect"
import { readTable, type Setting, type SettingFault, type Values } from "../settings/Setting.js"

type Environment = Readonly<Record<string, string | undefined>>

/** A vendor's settings in an environment. */
export interface VendorReading {
  /** Faults of the settings that are set. */
  readonly faults: ReadonlyArray<SettingFault>
  /** The missing settings that the vendor needs. */
  readonly missing: ReadonlyArray<Setting<unknown>>
  /** Whether any setting of the vendor's own is set. */
  readonly isNamed: boolean
  /** The provider, if nothing is missing or wrong. */
  readonly provider: Layer.Layer<KycProvider> | undefined
  /** Asks the vendor, free of charge, whether it accepts the credentials. None if it did not say. */
  readonly accepts: Effect.Effect<Option.Option<boolean>> | undefined
}

/** A KYC vendor that the server knows: its name in `KYC_ROUTES`, its settings, and how these become a provider. */
export interface KycVendor {
  readonly name: string
  readonly kinds: ReadonlyArray<VerificationKind>
  /** For `--help`. */
  readonly settings: ReadonlyArray<Setting<unknown>>
  readonly read: (environment: Environment) => VendorReading
}

const madeUp = "is of the vendor's sandbox, whose people do not exist: production verifies real ones"

/**
 * Describes a vendor by its settings, named `KYC_<VENDOR>_…`. Those in `required` have no default; `fromSettings` is
 * called only once all of them are there.
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
  /** The setting that names the vendor's sandbox, whose people do not exist. Production does not start with it. */
  readonly sandboxSetting?: (values: Complete<Values<Table>, Required>) => string | undefined
  /** For `surety doctor`, if the vendor has a call for it that is free. */
  readonly accepts?: (values: Complete<Values<Table>, Required>) => Effect.Effect<Option.Option<boolean>>
}): KycVendor => ({
  name,
  kinds,
  settings: Object.values(settings),
  read: (environment) => {
    const { faults, values } = readTable(settings, environment)
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
      provider: isUsable ? fromSettings(complete) : undefined,
      accepts: isUsable ? accepts?.(complete) : undefined
    }
  }
})

/** The values with the required ones present. */
export type Complete<V, Required extends PropertyKey> = {
  readonly [Key in keyof V]: Key extends Required ? Exclude<V[Key], undefined> : V[Key]
}

const isComplete = <V extends object, Required extends keyof V>(
  values: V,
  required: ReadonlyArray<Required>
): values is V & Complete<V, Required> => required.every((key) => values[key] !== undefined)
