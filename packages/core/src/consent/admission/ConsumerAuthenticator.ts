import { Context, Duration, Effect, Layer, Redacted, Schema } from "effect"
import type { Person } from "../../consumer/ConsumerDirectory.js"
import { callHost } from "../../host/callHost.js"
import { reading } from "../../host/HostAnswer.js"
import { quotableHeaders } from "../../host/loggableCause.js"
import type { ConsentTokenHash } from "../link/ConsentToken.js"

/**
 * The host or the storage failed while identifying the visitor, or while sending or checking a code. A code may still
 * have been sent. The hosted page asks the visitor to try again later.
 */
export class AuthenticatorUnavailable extends Schema.TaggedError<AuthenticatorUnavailable>(
  "@surety/core/consent/admission/ConsumerAuthenticator/AuthenticatorUnavailable"
)("AuthenticatorUnavailable", { cause: Schema.Defect() }) {
  override get message(): string {
    return "The visitor could not be authenticated: the host did not respond as promised."
  }
}

/** A visit to a consent or management link for `person`. */
export interface Visit {
  readonly person: Person
  /** Identifies the link: the same on each visit to it. */
  readonly link: ConsentTokenHash
  /** The visit's HTTP headers, with lower-case names, including any host cookies that the browser sent. */
  readonly headers: Redacted.Redacted<Readonly<Record<string, string | undefined>>>
}

/** State of the codes for a visitor who must enter one. */
export const CodeState = Schema.Struct({
  /** Deadline for entering the last code. Undefined if no code is outstanding. */
  openUntil: Schema.UndefinedOr(Schema.DateTimeUtc),
  /** When another code may be sent. Undefined if one may be sent now. */
  sendableAt: Schema.UndefinedOr(Schema.DateTimeUtc),
  /** Masked destination of the outstanding code. Undefined if no code is outstanding or its destination is unknown. */
  destination: Schema.UndefinedOr(Schema.String)
})
export type CodeState = typeof CodeState.Type

/** Result of `admit`: the visitor may see the page, or must first enter a code or sign in. */
export const Admission = Schema.TaggedUnion({
  Admitted: {},
  /** The visitor must enter a code. A code is sent only when the visitor asks for one. */
  CodeRequired: { code: CodeState },
  /** The visitor must sign in with the host at `url`, then open the link again. */
  SignInRequired: { url: Schema.String }
})
export type Admission = typeof Admission.Type

/** `Sent`: the new code is valid for `minutes`. `TooMany`: no code is sent for another `retryAfterSeconds`. */
export type CodeSent =
  | { readonly _tag: "Sent"; readonly minutes: number }
  | { readonly _tag: "TooMany"; readonly retryAfterSeconds: number }

/**
 * `Spent`: no code is outstanding. None was sent, or the last one expired, was used, or had too many wrong attempts.
 */
export type CodeCheck = "Right" | "Wrong" | "Spent"

const readAdmission = reading(Admission, "exactly an Admission")

/** Time limit for the host to identify a visitor. */
export const admitTimeout = Duration.seconds(10)

/** Returns the strings to mask in the host's errors. */
const textsOf = ({ headers, person }: Visit): ReadonlyArray<string> => [
  person.userId,
  ...quotableHeaders(Redacted.value(headers))
]

/**
 * Calls the authenticator. Fails with `AuthenticatorUnavailable` unless it returns a valid admission within
 * `admitTimeout`.
 */
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
 * Lets a host require more than the link before anything is shown: a one-time code, or a sign-in at the host. After a
 * correct code, the hosted page admits that browser to all of the person's links for 20 minutes.
 */
export class ConsumerAuthenticator extends Context.Service<
  ConsumerAuthenticator,
  {
    /**
     * Decides whether the visitor may see the page, or must first enter a code or sign in. Called on every visit. Must
     * have no side effects and send nothing, because link-preview bots also visit.
     */
    readonly admit: (visit: Visit) => Effect.Effect<Admission, AuthenticatorUnavailable>
    /**
     * Sends the person a new code for the link, replacing the link's earlier code. Returns `TooMany` and sends
     * nothing once a limit is reached.
     */
    readonly sendCode: (visit: Visit) => Effect.Effect<CodeSent, AuthenticatorUnavailable>
    /** Checks a code. A correct code works only once. */
    readonly checkCode: (
      visit: Visit,
      code: Redacted.Redacted<string>
    ) => Effect.Effect<CodeCheck, AuthenticatorUnavailable>
  }
>()("@surety/core/consent/admission/ConsumerAuthenticator") {}

const noCodes = Effect.die(new Error("No code was demanded."))

/** Layer that admits every bearer of a link. */
export const layerLink: Layer.Layer<ConsumerAuthenticator> = Layer.succeed(ConsumerAuthenticator, {
  admit: () => Effect.succeed({ _tag: "Admitted" }),
  sendCode: () => noCodes,
  checkCode: () => noCodes
})

/**
 * Builds a layer that admits a visitor if `isSignedIn` returns true. `isSignedIn` must return true only for a visitor
 * who is signed in at the host as the link's person. All others must sign in at `signInUrl`.
 */
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
