import type { SettingInForce } from "@surety/console/ConsoleSettings"
import type { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import { type KycRoutes, parseKycRoutes, routeFaults } from "@surety/core/kyc/provider/KycRoutes"
import { type Layer, Result } from "effect"
import { type SettingFault, setting } from "../settings/Setting.js"
import type { KycVendor } from "./KycVendor.js"
import { kora } from "./vendor/kora.js"
import { mono } from "./vendor/mono.js"
import { qoreId } from "./vendor/qoreId.js"
import { smileId } from "./vendor/smileId.js"
import { youverify } from "./vendor/youverify.js"

export const kycVendors: ReadonlyArray<KycVendor> = [smileId, kora, qoreId, mono, youverify]

/** The LIVE providers, and their routes by kind. */
export interface KycSetup {
  readonly providers: ReadonlyArray<Layer.Layer<KycProvider>>
  readonly routes: KycRoutes
  /** The vendors' settings as operators see them, without secrets. */
  readonly inForce: ReadonlyArray<SettingInForce>
}

export const kycRoutes = setting("KYC_ROUTES", {
  meaning:
    "the vendors that verify each kind in LIVE, in order: bvn=qoreid,kora;nin=youverify. The next is asked only if the one before " +
    "certainly took nothing",
  default: "",
  defaultText: "empty: LIVE verifies no one",
  read: (text) => Result.mapError(parseKycRoutes(text), (faults) => `is invalid: ${faults.join("; ")}`)
})

/**
 * Reads the KYC setup from an environment, or returns every fault in it. A vendor that has a route or any setting must
 * have all required settings. Its provider is built even without a route, since callbacks and late results still count.
 */
export const readKycSetup = (
  routes: KycRoutes,
  environment: Readonly<Record<string, string | undefined>>,
  vendors: ReadonlyArray<KycVendor>
): Result.Result<KycSetup, ReadonlyArray<SettingFault>> => {
  const known = vendors.map(({ kinds, name }) => ({ name, capabilities: { kinds } }))
  const wrongRoutes = routeFaults(routes, known).map((detail) => ({
    name: kycRoutes.name,
    detail: `is invalid: ${detail}`
  }))
  const routed = new Set(Object.values(routes).flat())
  const readings = vendors.map((each) => ({ ...each, ...each.read(environment) }))
  const wrong = readings.flatMap(({ faults, isNamed, missing, name }) => {
    const why = routed.has(name) ? `${kycRoutes.name} names ${name}` : `other settings of ${name} are set`
    const absent = isNamed || routed.has(name) ? missing : []
    return [
      ...faults,
      ...absent.map(({ meaning, name: variable }) => ({
        name: variable,
        detail: `must be set, because ${why}: ${meaning}`
      }))
    ]
  })
  const faults = [...wrongRoutes, ...wrong]
  if (faults.length > 0) return Result.fail(faults)
  const providers = readings.flatMap(({ isNamed, name, provider }) =>
    provider !== undefined && (isNamed || routed.has(name)) ? [provider] : []
  )
  return Result.succeed({ providers, routes, inForce: readings.flatMap(({ inForce }) => inForce) })
}
