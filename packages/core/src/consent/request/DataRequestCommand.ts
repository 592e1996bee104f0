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

/** A data request as the caller sends it. */
export const DataRequestInput = Schema.Struct({
  serviceId: ServiceId,
  requestedFields: IdentityFieldNames,
  purpose: Schema.optionalKey(Purpose),
  duration: Schema.optionalKey(GrantDuration),
  returnUrl: Schema.optionalKey(ReturnUrl),
  state: Schema.optionalKey(ReturnState)
})

/** A validated data request, with distinct and known fields. */
export interface DataRequestCommand {
  readonly serviceId: ConsumerId
  readonly requestedFields: ReadonlyArray<IdentityField>
  /** Normalised by `asRead`. If undefined, the merchant's usual purpose applies (`purposeOf`). */
  readonly purpose: string | undefined
  /** Requested duration of the grant. Default: the policy's `grantLifetime`. */
  readonly duration?: GrantDuration
  /**
   * The url as the merchant sent it. The consent page leads the person there after a decision other than `NOT_ME`, and
   * adds `state`.
   */
  readonly returnUrl?: string
  readonly state?: string
}

/** Converts faults in a list of fields to consent faults under `path`. */
export const faultsAt = (path: string, faults: ReadonlyArray<IdentityFieldFault>): ReadonlyArray<ConsentFault> =>
  faults.map(({ code, detail, index }) => ({ path: index === undefined ? [path] : [path, index], code, detail }))

/**
 * Returns the first fault of a purpose: blank, longer than `maxPurposeLength` characters, or containing hidden
 * characters.
 */
export const purposeFaults = (purpose: string | undefined): ReadonlyArray<ConsentFault> => {
  if (purpose === undefined) return []
  if (asRead(purpose) === "" || [...purpose].length > maxPurposeLength) {
    return [
      {
        path: ["purpose"],
        code: "purpose_length",
        detail: `Expected a purpose of 1 to ${maxPurposeLength} characters.`
      }
    ]
  }
  return hasHiddenCharacters(purpose)
    ? [
        {
          path: ["purpose"],
          code: "hidden_characters",
          detail: "Remove the invisible characters: direction controls and zero-width characters."
        }
      ]
    : []
}

export const commandOf = ({ purpose, ...input }: typeof DataRequestInput.Type): DataRequestCommand => ({
  ...input,
  purpose: purpose === undefined ? undefined : asRead(purpose)
})

/** Serialises the command for its fingerprint. The order of `requestedFields` does not change the result. */
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
