import type { Message } from "@surety/page-kit/words/Message"
import { english } from "./english.js"

export type MessageKey = keyof typeof english

/** All messages, and optional `field.…` messages that label the host's own fields. */
export type Messages = Readonly<Record<MessageKey, Message>> & Readonly<Partial<Record<`field.${string}`, Message>>>

/** A complete set of messages in one language. */
export interface Catalog {
  /** BCP 47 language tag. */
  readonly language: string
  /** Locale for dates and times, if it differs from `language`. */
  readonly locale?: string
  /** The language's name in the language itself. */
  readonly name: string
  readonly direction: "ltr" | "rtl"
  /** Version of the notice that people see before they decide. Receipts name it. */
  readonly version: string
  /**
   * `done` once a speaker of the language has reviewed the catalog. An unreviewed catalog is offered only if a host
   * enables it.
   */
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

/**
 * Returns a catalog with some messages replaced, or with messages added for the host's own fields. `version` names the
 * changed notice in receipts, so choose one that no other text has had, such as `2.0-acme-1`.
 */
export const withMessages = (catalog: Catalog, version: string, messages: Partial<Messages>): Catalog => ({
  ...catalog,
  version,
  messages: { ...catalog.messages, ...messages }
})

/** Lists the messages missing from a catalog. A page does not start with an incomplete catalog. */
export const missingMessages = ({ messages }: Catalog): ReadonlyArray<string> =>
  Object.keys(english).filter((key) => !Object.hasOwn(messages, key))
