import {
  parseVerification,
  subjectFaults,
  type VerificationCommand,
  type VerificationInput
} from "@surety/core/kyc/command/VerificationCommand"
import { Effect, Result } from "effect"
import { type Form, formOf } from "../form/Form.js"
import { snakeCaseFaults } from "../problem/Fault.js"
import { VerificationRequestBody } from "./VerificationFields.js"

type Body = typeof VerificationRequestBody.Type

const validationOf = (sent: NonNullable<Body["validation"]>): NonNullable<VerificationInput["validation"]> => ({
  ...(sent.first_name === undefined ? {} : { firstName: sent.first_name }),
  ...(sent.last_name === undefined ? {} : { lastName: sent.last_name }),
  ...(sent.date_of_birth === undefined ? {} : { dateOfBirth: sent.date_of_birth }),
  ...(sent.selfie === undefined ? {} : { selfie: sent.selfie })
})

const requestOf = ({
  id,
  kind,
  service_id,
  tier,
  user_id,
  validation,
  verification_consent
}: Body): VerificationInput => ({
  kind,
  id,
  verificationConsent: verification_consent === true,
  ...(user_id === undefined ? {} : { userId: user_id }),
  ...(service_id === undefined ? {} : { serviceId: service_id }),
  ...(tier === undefined ? {} : { tier }),
  ...(validation === undefined ? {} : { validation: validationOf(validation) })
})

/**
 * Returns the faults that core's rules find in the person and the consent. These rules apply even if other fields are
 * faulty.
 */
const ruleFaults = (sent: object) =>
  snakeCaseFaults(
    subjectFaults({
      namesPerson: Object.hasOwn(sent, "user_id") || Object.hasOwn(sent, "service_id"),
      verificationConsent: "verification_consent" in sent && sent.verification_consent === true
    })
  )

const shape = formOf(VerificationRequestBody)

/**
 * Reads the command from a body. If the schema finds faults, also reports those of `ruleFaults`, unless the body is not
 * an object.
 */
export const verificationForm: Form<VerificationCommand> = {
  fields: shape.fields,
  read: (sent) =>
    Effect.map(shape.read(sent), (reading) => {
      if (Result.isSuccess(reading))
        return Result.mapError(parseVerification(requestOf(reading.success)), snakeCaseFaults)
      const isObject = typeof sent === "object" && sent !== null && !Array.isArray(sent)
      return Result.fail([...reading.failure, ...(isObject ? ruleFaults(sent) : [])])
    })
}
