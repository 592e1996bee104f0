import { Context, type DateTime, Effect, Layer, type Redacted, Schema } from "effect"
import type { Person } from "../consumer/ConsumerDirectory.js"
import type { ConsentTokenHash } from "./ConsentToken.js"

/** Nobody can be told apart at the moment: the person is asked to come back, and is shown nothing. */
export class AuthenticatorUnavailable extends Schema.TaggedError<AuthenticatorUnavailable>(
  "@surety/core/consent/ConsumerAuthenticator/AuthenticatorUnavailable"
)("AuthenticatorUnavailable", { cause: Schema.Defect() }) {}

/** Somebody has opened a link that is meant for this person. */
export interface Visit {
  readonly person: Person
  /** Names the link, the same for every visit of it. */
  readonly link: ConsentTokenHash
  /** The request's headers, their names in lower case: a host finds its own session's cookie here. */
  readonly headers: Redacted.Redacted<Readonly<Record<string, string | undefined>>>
}

/** What a visitor who must enter a code can do now. */
export interface CodeState {
  /** Until when the last code that was sent may be entered; absent if none is outstanding. */
  readonly openUntil: DateTime.Utc | undefined
  /** From when on another one may be sent; absent if now. */
  readonly sendableAt: DateTime.Utc | undefined
  /** Where the last code went, masked. */
  readonly destination: string | undefined
}

/** What the visitor must do before anything is shown. */
export type Admission =
  | { readonly _tag: "Admitted" }
  /** Enter the code that is sent once they ask for it. */
  | { readonly _tag: "CodeRequired"; readonly code: CodeState }
  /** Sign in with the host, at that address, and open the link again. */
  | { readonly _tag: "SignInRequired"; readonly url: string }

/** What became of the wish for a code. `TooMany`: no more are sent before `retryAfterSeconds` have passed. */
export type CodeSent =
  | { readonly _tag: "Sent"; readonly minutes: number }
  | { readonly _tag: "TooMany"; readonly retryAfterSeconds: number }

/** `Spent`: no code is open any more, because its time is up or it was tried too often. */
export type CodeCheck = "Right" | "Wrong" | "Spent"

/**
 * Lets a host demand more than the link before anything is shown: a one-time code that it sends, or its own session. It
 * is asked at every visit; a visitor whose code was right is not asked for another one for a while.
 */
export class ConsumerAuthenticator extends Context.Service<
  ConsumerAuthenticator,
  {
    /** Sends nothing and changes nothing: programs that look links up visit too. */
    readonly admit: (visit: Visit) => Effect.Effect<Admission, AuthenticatorUnavailable>
    /** Sends the person a new code, in place of any before it. */
    readonly sendCode: (visit: Visit) => Effect.Effect<CodeSent, AuthenticatorUnavailable>
    /** A code that was right is right once. */
    readonly checkCode: (
      visit: Visit,
      code: Redacted.Redacted<string>
    ) => Effect.Effect<CodeCheck, AuthenticatorUnavailable>
  }
>()("@surety/core/consent/ConsumerAuthenticator") {}

const noCodes = Effect.die(new Error("No code was demanded."))

/** Whoever has the link is the person: it went to them alone. */
export const layerLink: Layer.Layer<ConsumerAuthenticator> = Layer.succeed(ConsumerAuthenticator, {
  admit: () => Effect.succeed({ _tag: "Admitted" }),
  sendCode: () => noCodes,
  checkCode: () => noCodes
})

/** Whoever has a session of the host's that it takes for this person's. */
export const layerSession = (
  isSignedIn: (visit: Visit) => Effect.Effect<boolean, AuthenticatorUnavailable>,
  signInUrl: string
): Layer.Layer<ConsumerAuthenticator> =>
  Layer.succeed(ConsumerAuthenticator, {
    admit: (visit) =>
      Effect.map(isSignedIn(visit), (isThem) =>
        isThem ? { _tag: "Admitted" } : { _tag: "SignInRequired", url: signInUrl }
      ),
    sendCode: () => noCodes,
    checkCode: () => noCodes
  })
