import type { ConsentFault } from "@surety/core/consent/ConsentError"
import { type Fault, inBody } from "./Fault.js"
import type { FaultCode } from "./FaultCode.js"

const codes: Readonly<Record<ConsentFault["code"], FaultCode>> = {
  fields_required: "too_short",
  fields_too_many: "too_long",
  field_unknown: "field_unknown",
  field_repeated: "field_repeated",
  field_not_requested: "field_not_requested",
  purpose_length: "too_long",
  hidden_characters: "hidden_characters",
  expiry_past: "expiry_past"
}

/**
 * The core's faults of a request, a decision or a grant, where they stand in the body. Of shape there are none left: the
 * forms have told those.
 */
export const consentFaults = (faults: ReadonlyArray<ConsentFault>): ReadonlyArray<Fault> =>
  faults.map(({ code, detail, path }) => inBody(path, codes[code], detail))
