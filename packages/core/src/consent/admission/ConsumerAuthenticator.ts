import { Context, Duration, Effect, Layer, Redacted, Schema } from "effect"
import type { Person } from "../../consumer/ConsumerDirectory.js"
import { callHost } from "../../host/callHost.js"
import { reading } from "../../host/HostAnswer.js"
import type { ConsentTokenHash } from "../link/ConsentToken.js"

/** Nobody can be told apart at the moment: the person is asked to come back, and is shown nothing. */
export class AuthenticatorUnavailable extends Schema.TaggedError<AuthenticatorUnavailable>(
  "@surety/core/consent/admission/ConsumerAuthenticator/AuthenticatorUnavailable"
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
export const CodeState = Schema.Struct({
  /** Until when the last code that was sent may be entered; undefined if none is outstanding. */
  openUntil: Schema.UndefinedOr(Schema.DateTimeUtc),
  /** From when on another one may be sent; undefined if now. */
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
  /** Sign in with the host, at that address, and open the link again. */
  SignInRequired: { url: Schema.String }
})
export type Admission = typeof Admission.Type

/** What became of the wish for a code. `TooMany`: no more are sent before `retryAfterSeconds` have passed. */
export type CodeSent =
  | { readonly _tag: "Sent"; readonly minutes: number }
  | { readonly _tag: "TooMany"; readonly retryAfterSeconds: number }

/** `Spent`: no code is open any more, because its time is up or it was tried too often. */
export type CodeCheck = "Right" | "Wrong" | "Spent"

const readAdmission = reading(Admission, "exactly an Admission")

/** How long the host may take to say who somebody is. */
export const admitTimeout = Duration.seconds(10)

/** All that the host was told of the visitor and may quote: each header, and each cookie's value by itself. */
const textsOf = ({ headers, person }: Visit): ReadonlyArray<string> => [
  person.userId,
  ...Object.values(Redacted.value(headers)).flatMap((header) =>
    header === undefined ? [] : [header, ...header.split(/[;=,\s]+/u).filter((part) => part.length >= leastQuoted)]
  )
]

const leastQuoted = 8

/** Asks the authenticator. Anything but an admission, in time, shows the visitor nothing. */
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
      given: textsOf(visit)
    },
    () => authenticator.admit(visit)
  )

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
>()("@surety/core/consent/admission/ConsumerAuthenticator") {}

const noCodes = Effect.die(new Error("No code was demanded."))

/** Whoever has the link is the person: it went to them alone. */
export const layerLink: Layer.Layer<ConsumerAuthenticator> = Layer.succeed(ConsumerAuthenticator, {
  admit: () => Effect.succeed({ _tag: "Admitted" }),
  sendCode: () => noCodes,
  checkCode: () => noCodes
})

/** Admits the person whom the host's session shows to be theirs; anybody else signs in first. */
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
