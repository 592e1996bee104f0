import { comparePerson, type RegistryPerson } from "@surety/core/kyc/provider/comparePerson"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import type { KycNotSubmitted, KycOutcomeUnknown, KycValidation } from "@surety/core/kyc/provider/KycProvider"
import { ProviderReference } from "@surety/core/kyc/verification/Verification"
import * as VendorAnswer from "@surety/kyc-http/VendorAnswer"
import { Effect, Option, Redacted, Schema } from "effect"
import * as Doubts from "./Doubts.js"

const text = Schema.optionalKey(Schema.NullOr(Schema.String))

/** The envelope of every response. `status` is `successful` or `failed`. */
const Envelope = Schema.Struct({ status: Schema.String, message: text })

const successful = Schema.Literal("successful")

const Session = Schema.Struct({
  status: successful,
  data: Schema.Struct({
    session_id: ProviderReference,
    methods: Schema.Array(Schema.Struct({ method: Schema.String }))
  })
})

const BvnPerson = Schema.Struct({
  status: successful,
  data: Schema.Struct({ bvn: text, first_name: text, middle_name: text, last_name: text, dob: text })
})

/** The response to the lookup of a NIN. Any field of the person may be null or missing. */
const NinPerson = Schema.Struct({
  status: successful,
  data: Schema.Struct({ nin: text, firstname: text, middlename: text, surname: text, birthdate: text })
})

const readEnvelope = VendorAnswer.decode(Envelope)
const readSession = VendorAnswer.decode(Session)
const readBvn = VendorAnswer.decode(BvnPerson)
const readNin = VendorAnswer.decode(NinPerson)

const isSuccess = ({ status }: VendorAnswer.VendorAnswer): boolean => status >= 200 && status <= 299

const failedMessage = (answer: VendorAnswer.VendorAnswer): string | undefined =>
  Option.match(readEnvelope(answer), {
    onNone: () => undefined,
    onSome: ({ message, status }) => (status === "failed" ? (message ?? "") : undefined)
  })

type Unclear = KycNotSubmitted | KycOutcomeUnknown

/**
 * Reads an unsuccessful response to the submission of a number. A `failed` response with 422 is `request_refused`,
 * even if its message is "… not found".
 *
 * | response | result |
 * | --- | --- |
 * | 401, 402, 403, 429 | `KycNotSubmitted`: refused before any work |
 * | 400 or 404, `failed`, "… not found" | `Failed`, `id_not_found` |
 * | 400, 404, 422, `failed`, any other message | `Errored`, `request_refused` |
 * | anything else | `KycOutcomeUnknown` |
 */
const refused = (answer: VendorAnswer.VendorAnswer): Effect.Effect<KycOutcome, Unclear> => {
  const refusal = VendorAnswer.refusal(answer.status)
  if (Option.isSome(refusal)) return Effect.fail(refusal.value)
  const message = failedMessage(answer)
  if (message === undefined) return Effect.fail(VendorAnswer.unclear(answer))
  if (Doubts.notFoundStatuses.has(answer.status) && Doubts.notFoundMessage.test(message)) {
    return Effect.succeed({ _tag: "Failed", reason: "id_not_found", checks: {} })
  }
  return [400, 404, 422].includes(answer.status)
    ? Effect.succeed({ _tag: "Errored", reason: "request_refused" })
    : Effect.fail(VendorAnswer.unclear(answer))
}

/** The submitted number, and the values to compare with the person found. */
export interface Asked {
  readonly id: Redacted.Redacted<string>
  readonly validation: KycValidation
}

const known = (value: string | null | undefined): string | undefined =>
  value === null || value === undefined || value.trim() === "" ? undefined : value

/**
 * Returns `Unrecognised` if the person has neither a first nor a last name, or has another number. Otherwise
 * `Verified`.
 */
const outcomeOfPerson = (
  providerReference: string,
  number: string | undefined,
  person: RegistryPerson,
  asked: Asked
): KycOutcome => {
  const isAnother = number !== undefined && number !== Redacted.value(asked.id)
  if (isAnother || (person.firstName === undefined && person.lastName === undefined)) {
    return { _tag: "Unrecognised", providerReference }
  }
  return { _tag: "Verified", providerReference, checks: comparePerson(asked.validation, person) }
}

/** Reads the response for a NIN. Mono gives a lookup no reference, so our own `reference` is used instead. */
export const ofNin = (
  answer: VendorAnswer.VendorAnswer,
  reference: string,
  asked: Asked
): Effect.Effect<KycOutcome, Unclear> => {
  if (!isSuccess(answer)) return refused(answer)
  return Option.match(readNin(answer), {
    onNone: () => Effect.fail(VendorAnswer.unclear(answer)),
    onSome: ({ data: { birthdate, firstname, middlename, nin, surname } }) => {
      const person = {
        firstName: known(firstname),
        middleName: known(middlename),
        lastName: known(surname),
        dateOfBirth: known(birthdate)
      }
      return Effect.succeed(outcomeOfPerson(reference, known(nin), person, asked))
    }
  })
}

/** A session for a BVN, and the contact that receives the code. */
export interface CodeSession {
  readonly _tag: "CodeSession"
  readonly session: string
  /** Undefined if the holder has no usable contact. */
  readonly channel: (typeof Doubts.channels)[number] | undefined
}

/** Reads the response to a BVN's first step of three. Returns a session, or the outcome if Mono refuses the number. */
export const ofInitiation = (answer: VendorAnswer.VendorAnswer): Effect.Effect<KycOutcome | CodeSession, Unclear> => {
  if (!isSuccess(answer)) return refused(answer)
  return Option.match(readSession(answer), {
    onNone: () => Effect.fail(VendorAnswer.unclear(answer)),
    onSome: ({ data: { methods, session_id } }) => {
      const channel = Doubts.channels.find((each) => methods.some(({ method }) => method === each))
      return Effect.succeed<CodeSession>({ _tag: "CodeSession", session: session_id, channel })
    }
  })
}

/** Returns true if the response confirms that a BVN's second step sent the code. */
export const isCodeSent = (answer: VendorAnswer.VendorAnswer): boolean =>
  isSuccess(answer) && Option.exists(readEnvelope(answer), ({ status }) => status === "successful")

/** The result of a wrong code. */
export const refusedCode = { _tag: "RefusedCode" } as const

/**
 * Reads the response to the holder's code, the third step. 402 and 429 mean that the code was not checked. A status in
 * `refusedCodeStatuses`, or a success status with `failed`, counts as a wrong code.
 */
export const ofCode = (
  answer: VendorAnswer.VendorAnswer,
  session: string,
  asked: Asked
): Effect.Effect<KycOutcome | typeof refusedCode, Unclear> => {
  if (isSuccess(answer)) {
    if (failedMessage(answer) !== undefined) return Effect.succeed(refusedCode)
    return Option.match(readBvn(answer), {
      onNone: () => Effect.fail(VendorAnswer.unclear(answer)),
      onSome: ({ data: { bvn, dob, first_name, last_name, middle_name } }) => {
        const person = {
          firstName: known(first_name),
          middleName: known(middle_name),
          lastName: known(last_name),
          dateOfBirth: known(dob)
        }
        return Effect.succeed(outcomeOfPerson(session, known(bvn), person, asked))
      }
    })
  }
  if (Doubts.refusedCodeStatuses.has(answer.status)) return Effect.succeed(refusedCode)
  return Effect.fail(Option.getOrElse(VendorAnswer.refusal(answer.status), (): Unclear => VendorAnswer.unclear(answer)))
}
