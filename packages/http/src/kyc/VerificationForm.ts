import type { VerificationRequest } from "@surety/core/kyc/command/VerificationCommand"
import { subjectFaults } from "@surety/core/kyc/command/VerificationCommand"
import { Effect, Result } from "effect"
import { type Form, formOf } from "../form/Form.js"
import { commandFaults } from "../problem/CommandFaults.js"
import { VerificationRequestBody } from "./VerificationFields.js"

type Body = typeof VerificationRequestBody.Type

const validationOf = (sent: NonNullable<Body["validation"]>): NonNullable<VerificationRequest["validation"]> => ({
  ...(sent.first_name === undefined ? {} : { firstName: sent.first_name }),
  ...(sent.last_name === undefined ? {} : { lastName: sent.last_name }),
  ...(sent.date_of_birth === undefined ? {} : { dateOfBirth: sent.date_of_birth }),
  ...(sent.selfie === undefined ? {} : { selfie: sent.selfie })
})

const requestOf = ({ id, kind, service_id, tier, user_id, validation }: Body): VerificationRequest => ({
  kind,
  id,
  verificationConsent: true,
  ...(user_id === undefined ? {} : { userId: user_id }),
  ...(service_id === undefined ? {} : { serviceId: service_id }),
  ...(tier === undefined ? {} : { tier }),
  ...(validation === undefined ? {} : { validation: validationOf(validation) })
})

/** Rules that hold whatever else is wrong with the body. */
const ruleFaults = (sent: object) =>
  commandFaults(
    subjectFaults({
      namesPerson: Object.hasOwn(sent, "user_id") || Object.hasOwn(sent, "service_id"),
      verificationConsent: "verification_consent" in sent && sent.verification_consent === true
    })
  )

const shape = formOf(VerificationRequestBody)

/** The verification that a body asks for. The core's rules of form are told together with those of shape. */
export const verificationForm: Form<VerificationRequest> = {
  read: (sent) =>
    Effect.map(shape.read(sent), (reading) => {
      const isObject = typeof sent === "object" && sent !== null && !Array.isArray(sent)
      const faults = [...(Result.isFailure(reading) ? reading.failure : []), ...(isObject ? ruleFaults(sent) : [])]
      return Result.isSuccess(reading) && faults.length === 0
        ? Result.succeed(requestOf(reading.success))
        : Result.fail(faults)
    })
}
