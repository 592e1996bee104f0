import { Context, Duration, Effect, Layer, Redacted, Schema } from "effect"
import type { Person } from "../../consumer/ConsumerDirectory.js"
import { callHost } from "../../host/callHost.js"
import { reading } from "../../host/HostAnswer.js"
import { quotableHeaders } from "../../host/loggableCause.js"
import type { ConsentTokenHash } from "../link/ConsentToken.js"

/** The host cannot say who the visitor is. They are asked to come back, and are shown nothing. */
export class AuthenticatorUnavailable extends Schema.TaggedError<AuthenticatorUnavailable>(
  "@surety/core/consent/admission/ConsumerAuthenticator/AuthenticatorUnavailable"
)("AuthenticatorUnavailable", { cause: Schema.Defect() }) {
  override get message(): string {
    return "The visitor could not be authenticated: the host did not respond as promised."
  }
}

/** A visitor has opened a link that is meant for this person. */
export interface Visit {
  readonly person: Person
  /** Identifies the link: the same on every visit. */
  readonly link: ConsentTokenHash
  /** The request's headers, with names in lower case. A host finds its own session cookie here. */
  readonly headers: Redacted.Redacted<Readonly<Record<string, string | undefined>>>
}

/** What a visitor who must enter a code can do now. */
export const CodeState = Schema.Struct({
  /** Until when the last code may be entered. Undefined if none is outstanding. */
  openUntil: Schema.UndefinedOr(Schema.DateTimeUtc),
  /** When another code may be sent. Undefined if now. */
  sendableAt: Schema.UndefinedOr(Schema.DateTimeUtc),
  /** Where the last code went, masked. */
  destination: Schema.UndefinedOr(Schema.String)
})
export type CodeState = typeof CodeState.Type

/** What the visitor must do before anything is shown. */
export const Admission = Schema.TaggedUnion({
  Admitted: {},
  /** Enter the code that is sent once they ask for it. */
  CodeRequired: { code: CodeState },
  /** Sign in with the host at that address, then open the link again. */
  SignInRequired: { url: Schema.String }
})
export type Admission = typeof Admission.Type

/** Whether a code was sent. `TooMany`: none is sent before `retryAfterSeconds` have passed. */
export type CodeSent =
  | { readonly _tag: "Sent"; readonly minutes: number }
  | { readonly _tag: "TooMany"; readonly retryAfterSeconds: number }

/** `Spent`: no code is outstanding any more, because it expired or was tried too often. */
export type CodeCheck = "Right" | "Wrong" | "Spent"

const readAdmission = reading(Admission, "exactly an Admission")

/** How long the host may take to identify a visitor. */
export const admitTimeout = Duration.seconds(10)

/** All values passed to the host, which its errors may quote. */
const textsOf = ({ headers, person }: Visit): ReadonlyArray<string> => [
  person.userId,
  ...quotableHeaders(Redacted.value(headers))
]

/** Asks the authenticator. Without a valid admission, in time, the visitor is shown nothing. */
export const admit = (
  authenticator: ConsumerAuthenticator["Service"],
  visit: Visit
): Effect.Effect<Admission, AuthenticatorUnavailable> =>
  callHost(
    {
      part: "signIn",
      operation: "admit",
      read: readAdmission,
      timeout: admitTimeout,
      unavailable: (cause) => new AuthenticatorUnavailable({ cause }),
      consequence: "the visitor is shown nothing",
      given: () => textsOf(visit)
    },
    () => authenticator.admit(visit)
  )

/**
 * Lets a host require more than the link before anything is shown: a one-time code, or its own session. It is asked at
 * each visit; a visitor who entered a correct code is not asked for another one for a while.
 */
export class ConsumerAuthenticator extends Context.Service<
  ConsumerAuthenticator,
  {
    /** Sends nothing and changes nothing: programs that preview links visit too. */
    readonly admit: (visit: Visit) => Effect.Effect<Admission, AuthenticatorUnavailable>
    /** Sends the person a new code, which replaces any earlier one. */
    readonly sendCode: (visit: Visit) => Effect.Effect<CodeSent, AuthenticatorUnavailable>
    /** A correct code works once. */
    readonly checkCode: (
      visit: Visit,
      code: Redacted.Redacted<string>
    ) => Effect.Effect<CodeCheck, AuthenticatorUnavailable>
  }
>()("@surety/core/consent/admission/ConsumerAuthenticator") {}

const noCodes = Effect.die(new Error("No code was demanded."))

/** The link's bearer is the person: it was sent only to them. */
export const layerLink: Layer.Layer<ConsumerAuthenticator> = Layer.succeed(ConsumerAuthenticator, {
  admit: () => Effect.succeed({ _tag: "Admitted" }),
  sendCode: () => noCodes,
  checkCode: () => noCodes
})

/** Admits the person whom the host's session identifies. Others sign in first. */
export const layerSession = (
  isSignedIn: (visit: Visit) => Effect.Effect<boolean, AuthenticatorUnavailable>,
  signInUrl: string
): Layer.Layer<ConsumerAuthenticator> =>
  Layer.succeed(ConsumerAuthenticator, {
    admit: (visit) =>
      Effect.map(isSignedIn(visit), (isThem) =>
        isThem === true ? { _tag: "Admitted" } : { _tag: "SignInRequired", url: signInUrl }
      ),
    sendCode: () => noCodes,
    checkCode: () => noCodes
  })
