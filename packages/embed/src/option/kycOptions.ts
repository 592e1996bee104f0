import { nameFaults, type RoutedProvider, routeFaults } from "@surety/core/kyc/provider/KycRoutes"
import { VerificationKind } from "@surety/core/kyc/verification/Verification"
import { Predicate, Schema } from "effect"
import { HostKycCapabilities, type HostKycProvider } from "../host/HostKycProvider.js"
import { method, must, type OptionCheck, optional, port, textOption } from "./Check.js"

const isCapabilities = Schema.is(HostKycCapabilities)

const provider = port<HostKycProvider>({
  name: textOption,
  submit: method,
  lookup: method,
  capabilities: optional(must(isCapabilities, "must have kinds, lookup, recognisesRepeats or callback, as documented")),
  submitCode: optional(method),
  callback: optional(method)
})

/** Checks one provider or a list. */
export const kycProviders: OptionCheck = (value, name) =>
  Array.isArray(value) ? value.flatMap((each, index) => provider(each, `${name}[${index}]`)) : provider(value, name)

const isRoutes = Schema.is(
  Schema.Struct(
    Object.fromEntries(VerificationKind.literals.map((kind) => [kind, Schema.optionalKey(Schema.Array(Schema.String))]))
  )
)

/** Checks that the value maps kinds of verification to lists of provider names. `kycFaults` checks the names. */
export const kycRouteLists: OptionCheck = must(
  (value) =>
    Predicate.isObject(value) &&
    Object.keys(value).every((key) => VerificationKind.literals.some((kind) => kind === key)) &&
    isRoutes(value),
  `must list providers by name for some of ${VerificationKind.literals.join(", ")}`
)

const routedOf = (value: unknown): ReadonlyArray<RoutedProvider> => {
  if (typeof value !== "object" || !Predicate.hasProperty(value, "name") || typeof value.name !== "string") return []
  const declared = Predicate.hasProperty(value, "capabilities") ? value.capabilities : undefined
  const kinds = isCapabilities(declared) ? declared.kinds : undefined
  return [{ name: value.name, capabilities: { kinds: kinds ?? VerificationKind.literals } }]
}

/** Returns faults in the providers' names, and in routes to providers missing from `kyc` or not supporting the kind. */
export const kycFaults = (kyc: unknown, routes: unknown): ReadonlyArray<string> => {
  if (kyc === undefined && routes === undefined) return []
  const providers = (Array.isArray(kyc) ? kyc : [kyc]).flatMap(routedOf)
  const wrongRoutes = isRoutes(routes) ? routeFaults(routes, providers) : []
  return [
    ...nameFaults(providers).map((fault) => `kyc: ${fault}`),
    ...wrongRoutes.map((fault) => `kycRoutes: ${fault}`)
  ]
}
