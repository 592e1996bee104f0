import { marks, type Payloads } from "./Payloads.generated.js"

/** The two environments, which are fully separate: TEST for the sandbox, LIVE for real people and real money. */
export type Environment = "TEST" | "LIVE"

/** Topics known to this version of the package. */
export type Topic = keyof Payloads

interface Delivered {
  /** The same in every attempt and at every endpoint, so use it to deduplicate. Signed. */
  readonly id: string
  /** When this attempt was signed, to the second. Signed. */
  readonly timestamp: Date
  /** From an unsigned header. `undefined` if the header is missing or has another value. */
  readonly environment: Environment | undefined
  /**
   * True for a test event, which is sent only on request and describes no real fact. Amounts are 0, and only the
   * merchant's id refers to a record. From an unsigned header.
   */
  readonly test: boolean
  /**
   * Sorting events by this string gives the order of `GET /v1/events?order=oldest`. Within an environment, an event
   * that appears there later never has a smaller sequence. From an unsigned header. `undefined` if it is missing.
   */
  readonly sequence: string | undefined
  /**
   * 1 for the first attempt. From an unsigned header. `undefined` if it is missing or not a number from 1 to 999,999
   * without leading zeros.
   */
  readonly attempt: number | undefined
}

export interface KnownEvent<T extends Topic> extends Delivered {
  readonly known: true
  readonly topic: T
  readonly payload: Payloads[T]
}

/** An event whose topic this version of the package does not know. Its payload is untyped. */
export interface UnknownEvent extends Delivered {
  readonly known: false
  readonly topic: string
  readonly payload: unknown
}

/** A verified delivery. If it is `known`, its `topic` determines the type of its payload. */
export type WebhookEvent = { [T in Topic]: KnownEvent<T> }[Topic] | UnknownEvent

export const isTopic = (topic: string): topic is Topic => Object.hasOwn(marks, topic)

/**
 * Returns true if the payload lacks the mark of `topic` but has another topic's. The topic's header is not signed, so
 * it could have been changed.
 */
export const contradicts = (topic: Topic, payload: object): boolean =>
  !marks[topic](payload) && Object.values(marks).some((has) => has(payload))
