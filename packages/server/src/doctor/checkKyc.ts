import * as Finding from "@surety/core/DoctorFinding"
import { Effect, Option } from "effect"
import type { KycVendor } from "../kyc/KycVendor.js"

const verdictOf = ({ name, settings }: KycVendor, accepted: Option.Option<boolean>): Finding.Finding => {
  const about = `kyc ${name}`
  if (Option.isNone(accepted)) {
    return Finding.fault(about, "The vendor did not say whether it accepts the credentials. Can this machine reach it?")
  }
  return accepted.value
    ? Finding.ok(about, "The vendor accepts the credentials.")
    : Finding.fault(
        about,
        `The vendor rejects the credentials. Check ${settings.map((setting) => setting.name).join(", ")}.`
      )
}

/** Checks each configured vendor's credentials. A vendor that offers no free call for this is reported as skipped. */
export const checkKyc = (
  environment: Readonly<Record<string, string | undefined>>,
  vendors: ReadonlyArray<KycVendor>
): Effect.Effect<ReadonlyArray<Finding.Finding>> =>
  Effect.forEach(
    vendors.map((vendor) => ({ vendor, ...vendor.read(environment) })).filter(({ isNamed }) => isNamed),
    ({ accepts, vendor }) =>
      accepts === undefined
        ? Effect.succeed(Finding.skipped(`kyc ${vendor.name}`, "It has no free call to check credentials."))
        : Effect.map(accepts, (accepted) => verdictOf(vendor, accepted)),
    { concurrency: "unbounded" }
  )
