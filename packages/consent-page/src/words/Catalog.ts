import type { Message } from "@surety/page-kit/words/Message"
import { english } from "./english.js"

export type MessageKey = keyof typeof english

/** All messages, and one `field.…` for each field of the host's own. */
export type Messages = Readonly<Record<MessageKey, Message>> & Readonly<Partial<Record<`field.${string}`, Message>>>

/** The messages of one language, complete: a page is in one language. */
export interface Catalog {
  /** BCP 47. */
  readonly language: string
  /** The locale of days, times and numbers, if it differs from `language`. */
  readonly locale?: string
  /** The language's own name for itself. */
  readonly name: string
  readonly direction: "ltr" | "rtl"
  /** The version of the notice that people see before they decide: receipts name it. */
  readonly version: string
  /** Whether a speaker of the language has read it. An unreviewed one is offered only if a host enables it. */
  readonly review: "done" | "needed"
  readonly messages: Messages
}

export const englishCatalog: Catalog = {
  language: "en",
  locale: "en-NG",
  name: "English",
  direction: "ltr",
  version: "2.0",
  review: "done",
  messages: english
}

/** A catalog in which a host replaces some words, or adds those of its own fields. */
export const withMessages = (catalog: Catalog, messages: Partial<Messages>): Catalog => ({
  ...catalog,
  messages: { ...catalog.messages, ...messages }
})

/** The messages that a catalog lacks. A page with such a catalog does not start. */
export const missingMessages = ({ messages }: Catalog): ReadonlyArray<string> =>
  Object.keys(english).filter((key) => !Object.hasOwn(messages, key))
