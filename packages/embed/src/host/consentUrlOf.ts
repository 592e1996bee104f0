import { notUnderstood } from "@surety/core/host/HostAnswer"
import { loggableCause } from "@surety/core/host/loggableCause"
import { Redacted, Result } from "effect"
import { contain } from "./contained.js"
import type { OnError } from "./onHostError.js"

const isUrl = (answer: unknown): answer is string => typeof answer === "string" && URL.canParse(answer)

/**
 * Builds a request's link with the host's `consentUrl`. Throws, and calls `tell`, if `consentUrl` throws or does not
 * return an absolute url. In that case no request is stored, because the link is built before the commit. The thrown
 * error masks the token.
 */
export const consentUrlOf =
  (consentUrl: (token: string) => unknown, tell: OnError) =>
  (token: Redacted.Redacted<string>): Redacted.Redacted<string> => {
    const shown = Redacted.value(token)
    const answer = Result.try({ try: () => consentUrl(shown), catch: (cause) => cause })
    if (Result.isSuccess(answer)) contain(answer.success)
    const link = Result.filterOrFail(answer, isUrl, (other): unknown => notUnderstood("an absolute url", other))
    if (Result.isSuccess(link)) return Redacted.make(link.success, { label: "consent link" })
    tell({ part: "consentUrl", operation: "consentUrl", cause: link.failure })
    throw loggableCause(link.failure, [shown])
  }
