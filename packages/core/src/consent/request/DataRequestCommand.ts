import { Result } from "effect"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import { type IdentityField, type IdentityFieldFault, parseDistinct } from "../../consumer/IdentityField.js"
import { hasHiddenCharacters } from "../../merchant/DeceptiveText.js"
import type { ConsentFault } from "../ConsentError.js"
import { asRead } from "../Purpose.js"

/** A request as sent. The identifier is checked already. */
export interface DataRequestForm {
  readonly serviceId: ConsumerId
  readonly requestedFields: ReadonlyArray<string>
  readonly purpose?: string
}

/** What the merchant asks for, understood: distinct, known fields. */
export interface DataRequestCommand {
  readonly serviceId: ConsumerId
  readonly requestedFields: ReadonlyArray<IdentityField>
  /** As it is read. Absent: the merchant's usual purpose. */
  readonly purpose: string | undefined
}

/** How long a purpose may be, in Unicode code points. */
export const maxPurposeLength = 500

/** The faults of a list of fields, as faults of what it stands in at `path`. */
export const faultsAt = (path: string, faults: ReadonlyArray<IdentityFieldFault>): ReadonlyArray<ConsentFault> =>
  faults.map(({ code, detail, index }) => ({ path: index === undefined ? [path] : [path, index], code, detail }))

/** What is wrong with a purpose: it is not blank, has at most 500 characters, and none of them is hidden from the person who reads it. */
export const purposeFaults = (purpose: string | undefined): ReadonlyArray<ConsentFault> => {
  if (purpose === undefined) return []
  if (asRead(purpose) === "" || [...purpose].length > maxPurposeLength) {
    return [{ path: ["purpose"], code: "purpose_length", detail: `A purpose has 1 to ${maxPurposeLength} characters.` }]
  }
  return hasHiddenCharacters(purpose)
    ? [
        {
          path: ["purpose"],
          code: "hidden_characters",
          detail: "Remove characters that cannot be seen: direction controls and zero-width characters."
        }
      ]
    : []
}

/** Understands a request, or lists every fault in it (at least one). Pure; knows nothing of the consumer. */
export const parse = (
  { purpose, requestedFields, serviceId }: DataRequestForm,
  known: ReadonlyArray<IdentityField>
): Result.Result<DataRequestCommand, ReadonlyArray<ConsentFault>> => {
  const fields = parseDistinct(requestedFields, known)
  const faults = [
    ...(Result.isFailure(fields) ? faultsAt("requestedFields", fields.failure) : []),
    ...purposeFaults(purpose)
  ]
  return Result.isSuccess(fields) && faults.length === 0
    ? Result.succeed({ serviceId, requestedFields: fields.success, purpose: purpose && asRead(purpose) })
    : Result.fail(faults)
}

/**
 * The command as one text, equal for requests that ask for the same, in whatever order: what the fingerprint is taken
 * of.
 */
export const canonicalText = ({ purpose, requestedFields, serviceId }: DataRequestCommand): string =>
  JSON.stringify(["data-requests.create", serviceId, [...requestedFields].sort(), purpose ?? null])
