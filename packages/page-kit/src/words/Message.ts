import type { Html, HtmlValue } from "../Html.js"

/** A text, or one text for each plural category of its language; `other` is required. */
export type Message = string | ({ readonly other: string } & Partial<Readonly<Record<Intl.LDMLPluralRule, string>>>)

/** The values of a message's `{name}`s. `count` also chooses the plural form. */
export type MessageValues = Readonly<Record<string, Html | string | number>>

/** The form of a message for this count. */
export const pluralFormOf = (language: string, message: Message, count: unknown): string => {
  if (typeof message === "string") return message
  const category = typeof count === "number" ? new Intl.PluralRules(language).select(count) : "other"
  return message[category] ?? message.other
}

/** The pieces of a message: texts, and the names of values between them. */
export const pieces = (form: string): ReadonlyArray<string> => form.split(/\{(\w+)\}/u)

/** A message with its values, as pieces of markup. */
export const filled = (form: string, values: MessageValues): ReadonlyArray<HtmlValue> =>
  pieces(form).map((piece, index) => (index % 2 === 0 ? piece : (values[piece] ?? `{${piece}}`)))
