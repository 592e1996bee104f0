import type { Html, HtmlValue } from "../Html.js"

/** A string, or strings by plural category. `other` also covers categories without a string. */
export type Message = string | ({ readonly other: string } & Partial<Readonly<Record<Intl.LDMLPluralRule, string>>>)

/** Values of a message's `{name}` placeholders. `count` also selects the plural form. */
export type MessageValues = Readonly<Record<string, Html | string | number>>

/**
 * Returns the form of a message for this count. A message without plural forms is returned unchanged. Returns `other`
 * if `count` is not a number, or if the message has no form for the count's plural category.
 */
export const pluralFormOf = (language: string, message: Message, count: unknown): string => {
  if (typeof message === "string") return message
  const category = typeof count === "number" ? new Intl.PluralRules(language).select(count) : "other"
  return message[category] ?? message.other
}

/** Splits a message into text and placeholder names, alternating. */
export const pieces = (form: string): ReadonlyArray<string> => form.split(/\{(\w+)\}/u)

/**
 * Fills a message's form with values. Returns pieces to insert into `html`. Placeholders without a value stay
 * unchanged.
 */
export const filled = (form: string, values: MessageValues): ReadonlyArray<HtmlValue> =>
  pieces(form).map((piece, index) => (index % 2 === 0 ? piece : (values[piece] ?? `{${piece}}`)))
