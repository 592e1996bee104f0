import { Schema } from "effect"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import type { IdentityField, IdentityFieldFault } from "../../consumer/IdentityField.js"
import { IdentityFieldNames } from "../../input/IdentityFieldNames.js"
import { ServiceId } from "../../input/ServiceId.js"
import { maxPurposeLength, Purpose } from "../../input/ShownText.js"
import { hasHiddenCharacters } from "../../merchant/DeceptiveText.js"
import { ReturnState, ReturnUrl } from "../../merchant/ReturnUrl.js"
import type { ConsentFault } from "../ConsentError.js"
import { asRead } from "../grant/ConsentPolicy.js"
import { GrantDuration } from "../grant/GrantDuration.js"

/** What a caller sends to ask a person for fields. */
export const DataRequestInput = Schema.Struct({
  serviceId: ServiceId,
  requestedFields: IdentityFieldNames,
  purpose: Schema.optionalKey(Purpose),
  duration: Schema.optionalKey(GrantDuration),
  returnUrl: Schema.optionalKey(ReturnUrl),
  state: Schema.optionalKey(ReturnState)
})

/** What a merchant asks a person for: distinct, known fields. */
export interface DataRequestCommand {
  readonly serviceId: ConsumerId
  readonly requestedFields: ReadonlyArray<IdentityField>
  /** With normalised white space. Undefined: the merchant's usual purpose. */
  readonly purpose: string | undefined
  /** Undefined: as long as the policy's grants last. */
  readonly duration?: GrantDuration
  /** Where the page leads the person back to, as sent. `state` is added to it. */
  readonly returnUrl?: string
  readonly state?: string
}

/** The faults of a list of fields, placed under `path`. */
export const faultsAt = (path: string, faults: ReadonlyArray<IdentityFieldFault>): ReadonlyArray<ConsentFault> =>
  faults.map(({ code, detail, index }) => ({ path: index === undefined ? [path] : [path, index], code, detail }))

/** The faults of a purpose: blank, longer than 500 characters, or with characters that the person cannot see. */
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

export const commandOf = ({ purpose, ...input }: typeof DataRequestInput.Type): DataRequestCommand => ({
  ...input,
  purpose: purpose === undefined ? undefined : asRead(purpose)
})

/** The command as one text, equal for equal requests, with the fields in any order: the input of the fingerprint. */
export const canonicalDataRequest = ({
  duration,
  purpose,
  requestedFields,
  returnUrl,
  serviceId,
  state
}: DataRequestCommand): string =>
  JSON.stringify([
    "data-requests.create",
    serviceId,
    [...requestedFields].sort(),
    ...[purpose, duration, returnUrl, state].map((part) => part ?? null)
  ])
