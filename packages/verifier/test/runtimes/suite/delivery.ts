import type { Verification, VerifyInput } from "../../../src/index.js"
import type { SignedRequest } from "../../../src/testing.js"
import type { Subject } from "./Case.js"

export const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
export const otherSecret = "whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA="
export const now = new Date("2026-11-20T10:15:31.000Z")
export const id = "event_01jd4c5p8vf3vs6y2k7m9q4hzn"

export const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

export const delivery = (
  { samplePayloads, sign }: Subject,
  changes: { readonly secrets?: string | ReadonlyArray<string>; readonly timestamp?: Date; readonly id?: string } = {}
): Promise<SignedRequest> =>
  sign({
    secrets: secret,
    topic: "refund.completed",
    payload: samplePayloads["refund.completed"],
    id,
    timestamp: now,
    ...changes
  })

export const outcome = async (
  { verify }: Subject,
  input: { readonly body: unknown; readonly headers: unknown; readonly secrets?: unknown; readonly now?: Date }
): Promise<string> => {
  // JavaScript callers may pass values that the types forbid, so the cases do too.
  const result: Verification = await verify({ secrets: secret, now, ...input } as VerifyInput)
  return result.ok ? "ok" : result.reason
}
