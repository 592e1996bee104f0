/** Codes of faults that are too plain to be a problem's own code: alone they make it `validation_failed`. */
export const faultCodes = {
  required: "The field is missing.",
  wrong_type: "The value is of another JSON type than expected; null is not the same as a missing field.",
  wrong_format: "The text is not of the form expected.",
  not_allowed_value: "The value is not one of those allowed.",
  blank: "The text has nothing but white space.",
  too_short: "The text or list is too short.",
  too_long: "The text or list is too long. Characters are counted as Unicode code points.",
  out_of_range: "The number is too small or too large.",
  amount_not_positive: "The amount is not greater than 0.",
  amount_too_large: "The amount is more than 999,999,999,999,999 minor units of the currency.",
  field_unknown: "There is no identity field of this name.",
  field_repeated: "The identity field is named twice.",
  field_not_requested: "The identity field is not among those that the merchant asked for.",
  expiry_past: "The time is not in the future.",
  service_id_invalid: "The text is not a consumer identifier; ask the end user for it again where it was mistyped.",
  country_unknown: "The text is neither a code of ISO 3166-1 alpha-2 nor a country's English name.",
  email_invalid: "The text is not an e-mail address.",
  url_invalid: "The text is not an absolute http or https url.",
  url_credentials: "The url has a user name or password; remove them.",
  hidden_characters: "The text has characters that cannot be seen: direction controls or zero-width characters.",
  name_not_allowed: "The name claims to be checked, or is the platform's own."
} as const satisfies Record<string, string>

export type FaultCode = keyof typeof faultCodes
