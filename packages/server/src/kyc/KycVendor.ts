import type { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import type { VerificationKind } from "@surety/core/kyc/verification/Verification"
import type { Layer } from "effect"
import { readTable, type Setting, type SettingFault, type Values } from "../settings/Setting.js"

type Environment = Readonly<Record<string, string | undefined>>

/** What an environment says of a vendor. */
export interface VendorReading {
  /** What is wrong with the settings that are set. */
  readonly faults: ReadonlyArray<SettingFault>
  /** Those that the vendor needs and that are not set. */
  readonly missing: ReadonlyArray<Setting<unknown>>
  /** Whether any setting of the vendor's own is set. */
  readonly isNamed: boolean
  /** The provider, if nothing is missing or wrong. */
  readonly provider: Layer.Layer<KycProvider> | undefined
}

/** A KYC vendor that the server knows: its name in `KYC_ROUTES`, its settings, and how these become a provider. */
export interface KycVendor {
  readonly name: string
  readonly kinds: ReadonlyArray<VerificationKind>
  /** For `--help`. */
  readonly settings: ReadonlyArray<Setting<unknown>>
  readonly read: (environment: Environment) => VendorReading
}

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
  fromSettings,
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
    return {
      faults,
      missing,
      isNamed: Object.values(settings).some(isSet),
      provider: faults.length === 0 && isComplete(values, required) ? fromSettings(values) : undefined
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
