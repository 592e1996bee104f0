import { english } from "./english.js"

export type MessageKey = keyof typeof english

/** A text, or one text for each plural category of its language; `other` is always among them. */
export type Message = string | ({ readonly other: string } & Partial<Readonly<Record<Intl.LDMLPluralRule, string>>>)

/** The words of one language. What is missing is shown in English. A host adds `field.…` for each field of its own. */
export interface Catalog {
  /** BCP 47. */
  readonly language: string
  /** How days, times and numbers are written, where that is not as in `language` at large. */
  readonly locale?: string
  /** As its speakers call it. */
  readonly name: string
  readonly direction: "ltr" | "rtl"
  /** Of the notice that people are shown before they decide: it stands in the receipts. */
  readonly version: string
  /** Whether a speaker of the language has read it. One that needs it is offered only where a host says so. */
  readonly review: "done" | "needed"
  readonly messages: Readonly<Partial<Record<MessageKey | `field.${string}`, Message>>>
}

/** The complete catalog. */
export const englishCatalog: Catalog = {
  language: "en",
  locale: "en-NG",
  name: "English",
  direction: "ltr",
  version: "1.0",
  review: "done",
  messages: english
}

/** A catalog with a host's own words in place of some, or for fields of its own. */
export const withMessages = (catalog: Catalog, messages: Catalog["messages"]): Catalog => ({
  ...catalog,
  messages: { ...catalog.messages, ...messages }
})
