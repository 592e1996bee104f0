import { marks, type Payloads } from "./Payloads.generated.js"

/** The two worlds that never meet: TEST for the sandbox, LIVE for real people and real money. */
export type Environment = "TEST" | "LIVE"

/** The topics that this version of the package knows. */
export type Topic = keyof Payloads

interface Delivered {
  /** The same in every attempt and at every endpoint: what to deduplicate by. Signed. */
  readonly id: string
  /** When this attempt was signed, to the second. Signed. */
  readonly timestamp: Date
  /** From a header that no signature covers; `undefined` if it is missing or has another value. */
  readonly environment: Environment | undefined
  /**
   * A requested sample: nothing happened, its amounts are 0 and its ids name no record. From a header that no
   * signature covers.
   */
  readonly test: boolean
  /**
   * Sorts as text like the list of events, oldest first: of two events of an environment, the one that was listed later
   * never has the smaller one. From a header that no signature covers; `undefined` if it is missing.
   */
  readonly sequence: string | undefined
  /** 1 for the first attempt. From a header that no signature covers; `undefined` if it is missing. */
  readonly attempt: number | undefined
}

export interface KnownEvent<T extends Topic> extends Delivered {
  readonly known: true
  readonly topic: T
  readonly payload: Payloads[T]
}

/** An event of a topic that is newer than this package: genuine, but its payload has no type here. */
export interface UnknownEvent extends Delivered {
  readonly known: false
  readonly topic: string
  readonly payload: unknown
}

/** A verified delivery. If it is `known`, its `topic` determines its payload's type. */
export type WebhookEvent = { [T in Topic]: KnownEvent<T> }[Topic] | UnknownEvent

export const isTopic = (topic: string): topic is Topic => Object.hasOwn(marks, topic)

/**
 * Whether the signed payload shows that the topic, which only an unsigned header names, was exchanged: the payload has
 * another topic's mark and not its own. Keys added by later versions are ignored.
 */
export const contradicts = (topic: Topic, payload: object): boolean =>
  !marks[topic](payload) && Object.values(marks).some((has) => has(payload))
