import { Context, Duration, Effect, Layer, Redacted, Result, Schema } from "effect"
import type { Person } from "../../consumer/ConsumerDirectory.js"
import { callHost } from "../../host/callHost.js"
import { type ReadAnswer, reading } from "../../host/HostAnswer.js"
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
    return "The visitor could not be authenticated: the host did not return a valid response."
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
export const CodeSent = Schema.TaggedUnion({
  Sent: { minutes: Schema.Finite },
  TooMany: { retryAfterSeconds: Schema.Finite }
})
export type CodeSent = typeof CodeSent.Type

/**
 * `Spent`: no code is outstanding. None was sent, or the last one expired, was used, or had too many wrong attempts.
 */
export const CodeCheck = Schema.Literals(["Right", "Wrong", "Spent"])
export type CodeCheck = typeof CodeCheck.Type

const readAdmission = reading(Admission, "exactly an Admission")
const readSent = reading(CodeSent, "exactly a CodeSent")
const readCheck = reading(CodeCheck, '"Right", "Wrong" or "Spent"')

/** Time limit for the host to identify a visitor, or to check a code. */
export const admitTimeout = Duration.seconds(10)

/** Time limit for the host to send a code. Longer than the limit of `CodeSender`, which has its own. */
export const sendTimeout = Duration.seconds(20)

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

const isUnavailable = Schema.is(AuthenticatorUnavailable)

/**
 * Calls the authenticator about a code. Passes an `AuthenticatorUnavailable` on without a report, since its cause has
 * been reported where it arose. Otherwise like `admit`.
 */
const callAboutCode = <A>(
  operation: "sendCode" | "checkCode",
  {
    consequence,
    given,
    read,
    timeout
  }: {
    readonly read: ReadAnswer<A>
    readonly timeout: Duration.Duration
    readonly consequence: string
    readonly given: () => ReadonlyArray<string>
  },
  ask: () => Effect.Effect<unknown, AuthenticatorUnavailable>
): Effect.Effect<A, AuthenticatorUnavailable> =>
  callHost<Result.Result<A, AuthenticatorUnavailable>, AuthenticatorUnavailable, never>(
    {
      part: "signIn",
      operation,
      read: (answer) =>
        isUnavailable(answer) ? Result.succeed(Result.fail(answer)) : Result.map(read(answer), Result.succeed),
      timeout,
      unavailable: (cause) => new AuthenticatorUnavailable({ cause }),
      consequence,
      given
    },
    () => Effect.catchIf(ask(), isUnavailable, (error) => Effect.succeed<unknown>(error))
  ).pipe(Effect.flatMap(Effect.fromResult))

/**
 * Calls the authenticator to send a code. Fails with `AuthenticatorUnavailable` unless it returns a valid `CodeSent`
 * within `sendTimeout`. A code may then still have been sent.
 */
export const sendCode = (
  authenticator: ConsumerAuthenticator["Service"],
  visit: Visit
): Effect.Effect<CodeSent, AuthenticatorUnavailable> =>
  callAboutCode(
    "sendCode",
    { read: readSent, timeout: sendTimeout, consequence: "the person may get no code", given: () => textsOf(visit) },
    () => authenticator.sendCode(visit)
  )

/**
 * Calls the authenticator to check a code. Fails with `AuthenticatorUnavailable` unless it returns a valid `CodeCheck`
 * within `admitTimeout`, so that no other result admits a visitor.
 */
export const checkCode = (
  authenticator: ConsumerAuthenticator["Service"],
  visit: Visit,
  code: Redacted.Redacted<string>
): Effect.Effect<CodeCheck, AuthenticatorUnavailable> =>
  callAboutCode(
    "checkCode",
    {
      read: readCheck,
      timeout: admitTimeout,
      consequence: "the visitor is shown nothing",
      given: () => [...textsOf(visit), Redacted.value(code)]
    },
    () => authenticator.checkCode(visit, code)
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

const noCodes = Effect.die(new Error("No code was requested."))

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
