import { samplePayloads, sign } from "../src/testing.js"

export const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
export const otherSecret = "whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA="

export const now = new Date("2026-11-20T10:15:31.000Z")

export const secondsFromNow = (seconds: number): Date => new Date(now.getTime() + seconds * 1000)

export const delivery = (
  changes: { readonly secrets?: string | ReadonlyArray<string>; readonly timestamp?: Date } = {}
) =>
  sign({
    secrets: secret,
    topic: "refund.completed",
    payload: samplePayloads["refund.completed"],
    id: "event_01jd4c5p8vf3vs6y2k7m9q4hzn",
    timestamp: now,
    ...changes
  })

export const withHeaders = (
  headers: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | undefined>>
): Record<string, string> => {
  const kept = Object.entries({ ...headers, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined
  )
  return Object.fromEntries(kept)
}
