import { DateTime, Duration } from "effect"
import type { Fingerprint } from "../idempotency/Fingerprint.js"
import type { CodeCheck, CodeSent } from "./ConsumerAuthenticator.js"

/** How long a code is good for. */
export const codeLifetime = Duration.minutes(10)

/** How often a code may be entered. */
export const codeTries = 5

/** How many codes a link is sent in `sendWindow`: with `codeTries`, 25 guesses of a million an hour. */
export const sendsPerWindow = 5

export const sendWindow = Duration.hours(1)

/** What is kept of a link's codes. The code itself is not: only its keyed hash. */
export interface CodeChallenge {
  /** Absent once the code was right. */
  readonly codeHash: Fingerprint | undefined
  readonly triesLeft: number
  readonly expiresAt: DateTime.Utc
  readonly sends: number
  readonly windowEndsAt: DateTime.Utc
}

/** An answer, and the challenge from now on; it stays as it is where none is given. */
export interface CodeDecision<A> {
  readonly answer: A
  readonly next: CodeChallenge | undefined
}

/** Decides whether another code is sent. It counts as sent even if the sender fails, since perhaps it did not. */
export const decideSend = (
  current: CodeChallenge | undefined,
  codeHash: Fingerprint,
  now: DateTime.Utc
): CodeDecision<CodeSent> => {
  const isSameWindow = current !== undefined && DateTime.isLessThan(now, current.windowEndsAt)
  if (isSameWindow && current.sends >= sendsPerWindow) {
    const wait = DateTime.distance(now, current.windowEndsAt)
    return {
      answer: { _tag: "TooMany", retryAfterSeconds: Math.ceil(Duration.toSeconds(wait)) },
      next: undefined
    }
  }
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

/** Decides on a code that was entered. `hashes` are its keyed hashes under every key of the server. */
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
