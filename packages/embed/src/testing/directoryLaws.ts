import { readPlain } from "@surety/core/consumer/HostDirectory"
import { Result } from "effect"
import type { HostDirectory, HostPerson } from "../host/HostDirectory.js"
import { checkLaws } from "./Laws.js"

/** A directory to check, a person known to it, and a stranger about whom it must disclose nothing. */
export interface DirectoryUnderTest {
  readonly directory: HostDirectory
  readonly person: HostPerson
  /** The values that the directory must return for the person, by field. */
  readonly expected: Readonly<Record<string, unknown>>
  /** A person unknown to the directory, such as one from another environment. */
  readonly stranger: HostPerson
}

/** Fields that Surety provides regardless of the directory. */
const ofSurety = new Set(["service_id"])

const kindOf: Readonly<Record<string, string>> = {
  display_name: "string",
  country: "string",
  email: "string",
  phone_verified: "boolean",
  kyc_status: "string"
}

/**
 * Checks that a host's directory honours its contract. It must return the person's own values in the right types, and
 * nothing about unknown people. Rejects with `LawsBroken`, which lists every broken law. Works with any test runner.
 *
 * @example
 * import { directoryLaws } from "@surety/embed/testing"
 *
 * await directoryLaws({
 *   directory,
 *   person: { environment: "LIVE", userId: ada.id, serviceId: ada.serviceId },
 *   expected: { display_name: "Ada Obi", phone_verified: true },
 *   stranger: { environment: "TEST", userId: ada.id, serviceId: ada.serviceId }
 * })
 */
export const directoryLaws = async ({ directory, expected, person, stranger }: DirectoryUnderTest): Promise<void> => {
  const fields = Object.keys(expected)
  const ask = async (about: HostPerson, names: ReadonlyArray<string>) =>
    readPlain(await directory.values(about, names), names)

  await checkLaws("directory", {
    "returns the expected values": async () => {
      const read = await ask(person, fields)
      if (Result.isFailure(read)) return read.failure.message
      const wrong = fields.filter(
        (field) => !ofSurety.has(field) && JSON.stringify(read.success[field]) !== JSON.stringify(expected[field])
      )
      // Names only: a person's values do not belong in a test's log.
      return wrong.length === 0 ? undefined : `${wrong.join(", ")} differ from what was expected`
    },
    "returns each field in its type": async () => {
      const read = await ask(person, fields)
      if (Result.isFailure(read)) return read.failure.message
      const wrong = Object.entries(read.success).filter(
        ([field, value]) => field in kindOf && typeof value !== kindOf[field]
      )
      return wrong.length === 0
        ? undefined
        : wrong.map(([field, value]) => `${field} is a ${typeof value}, not a ${kindOf[field]}`).join("; ")
    },
    "returns each field alone": async () => {
      for (const field of fields) {
        const read = await ask(person, [field])
        if (Result.isFailure(read)) return `${field}: ${read.failure.message}`
      }
      return undefined
    },
    "returns nothing about an unknown person": async () => {
      const read = await ask(stranger, fields).catch(() => undefined)
      if (read === undefined || Result.isFailure(read)) return undefined
      const toldOf = Object.keys(read.success).filter((field) => !ofSurety.has(field))
      return toldOf.length === 0 ? undefined : `it returned ${toldOf.join(", ")}`
    }
  })
}
