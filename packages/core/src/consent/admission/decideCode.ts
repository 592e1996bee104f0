import { DateTime, Duration } from "effect"
import type { Fingerprint } from "../../idempotency/Fingerprint.js"
import type { CodeCheck, CodeSent, CodeState } from "./ConsumerAuthenticator.js"

export const codeLifetime = Duration.minutes(10)

/** Wrong attempts after which a code is spent. */
export const codeTries = 5

/** Maximum codes sent per link within `sendWindow`. With `codeTries`, that allows about 25 guesses per window. */
export const sendsPerWindow = 5

/** Maximum codes sent per person within `sendWindow`, across all links. */
export const sendsPerPerson = 10

export const sendWindow = Duration.hours(1)

/**
 * Stored state of a link's codes, or only the count of codes sent to a person. Holds the keyed hash of the code, never
 * the code.
 */
export interface CodeChallenge {
  /** Undefined once the code has been entered correctly. Always undefined in the state that counts a person's codes. */
  readonly codeHash: Fingerprint | undefined
  readonly triesLeft: number
  readonly expiresAt: DateTime.Utc
  readonly sends: number
  readonly windowEndsAt: DateTime.Utc
  /** Masked destination of the last code, if the sender named one. */
  readonly destination?: string
}

/** A result, and the next state of the challenge. If `next` is undefined, the challenge stays unchanged. */
export interface CodeDecision<A> {
  readonly answer: A
  readonly next: CodeChallenge | undefined
}

const isInWindow = (current: CodeChallenge | undefined, now: DateTime.Utc): current is CodeChallenge =>
  current !== undefined && DateTime.isLessThan(now, current.windowEndsAt)

const sendableAt = (current: CodeChallenge | undefined, most: number, now: DateTime.Utc): DateTime.Utc | undefined =>
  isInWindow(current, now) && current.sends >= most ? current.windowEndsAt : undefined

/**
 * Decides whether another code may be sent. Counts the code before it is sent, since it may arrive even if the sender
 * fails. Without a `codeHash`, `current` counts the codes sent to a person across all links.
 */
export const decideSend = (
  current: CodeChallenge | undefined,
  codeHash: Fingerprint | undefined,
  now: DateTime.Utc
): CodeDecision<CodeSent> => {
  const until = sendableAt(current, codeHash === undefined ? sendsPerPerson : sendsPerWindow, now)
  if (until !== undefined) {
    const wait = DateTime.distance(now, until)
    return {
      answer: { _tag: "TooMany", retryAfterSeconds: Math.ceil(Duration.toSeconds(wait)) },
      next: undefined
    }
  }
  const isSameWindow = isInWindow(current, now)
  return {
    answer: { _tag: "Sent", minutes: Duration.toMinutes(codeLifetime) },
    next: {
      codeHash,
      triesLeft: codeTries,
      expiresAt: DateTime.addDuration(now, codeLifetime),
      sends: isSameWindow ? current.sends + 1 : 1,
      windowEndsAt: isSameWindow ? current.windowEndsAt : DateTime.addDuration(now, sendWindow)
    }
  }
}

/** Returns the state of the link's code. `person` counts the codes sent to the link's person across all links. */
export const codeStateOf = (
  link: CodeChallenge | undefined,
  person: CodeChallenge | undefined,
  now: DateTime.Utc
): CodeState => {
  const isOpen = link?.codeHash !== undefined && link.triesLeft > 0 && DateTime.isLessThan(now, link.expiresAt)
  const waits = [sendableAt(link, sendsPerWindow, now), sendableAt(person, sendsPerPerson, now)]
  const [first, ...others] = waits.filter((at) => at !== undefined)
  return {
    openUntil: isOpen ? link.expiresAt : undefined,
    sendableAt: first && others.reduce(DateTime.max, first),
    destination: isOpen ? link.destination : undefined
  }
}

/** Decides whether an entered code is correct. `hashes` are its keyed hashes under all of the server's keys. */
export const decideCheck = (
  current: CodeChallenge | undefined,
  hashes: ReadonlyArray<Fingerprint>,
  now: DateTime.Utc
): CodeDecision<CodeCheck> => {
  const { codeHash } = current ?? {}
  if (current === undefined || codeHash === undefined || current.triesLeft <= 0) {
    return { answer: "Spent", next: undefined }
  }
  if (!DateTime.isLessThan(now, current.expiresAt)) return { answer: "Spent", next: undefined }
  if (hashes.some((hash) => hash === codeHash)) {
    return { answer: "Right", next: { ...current, codeHash: undefined, triesLeft: 0 } }
  }
  const triesLeft = current.triesLeft - 1
  return { answer: triesLeft === 0 ? "Spent" : "Wrong", next: { ...current, triesLeft } }
}
