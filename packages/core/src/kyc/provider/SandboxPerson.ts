import { Redacted } from "effect"
import { beginsAsImage } from "../command/SelfieImage.js"
import type { Checks } from "../verification/Verification.js"
import { comparePerson } from "./comparePerson.js"
import type { KycValidation } from "./KycProvider.js"

/** The only person known to the sandbox. */
const person = { firstName: "Ada", lastName: "Obi", dateOfBirth: "1990-01-01" }

/**
 * Compares the submitted values with Ada Obi, born 1990-01-01 (contract 8), by the rules of `comparePerson`. A selfie
 * matches if it starts with an image signature. `parseVerification` has already validated the rest, up to 12 million
 * characters.
 */
export const compare = (sent: KycValidation): Checks => ({
  ...comparePerson(sent, person),
  selfie: sent.selfie !== undefined && beginsAsImage(Redacted.value(sent.selfie)) ? "MATCH" : "NOT_CHECKED"
})
