import {
  AuthenticatorUnavailable,
  type ConsumerAuthenticator,
  layerSession
} from "@surety/core/consent/admission/ConsumerAuthenticator"
import { reading } from "@surety/core/host/HostAnswer"
import { Effect, type Layer, Redacted, Result, Schema } from "effect"
import type { HostPerson } from "./HostDirectory.js"

/**
 * The host's sign-in check for links to the consent and management pages. A link opens only for a visitor signed in to
 * the host as the link's person.
 */
export interface HostSignIn {
  /** The host's sign-in page. After signing in, the person opens the link again. */
  readonly url: string
  /**
   * Resolves with true if the host's session shows that the request comes from this person. Header names are in lower
   * case. After a rejection, a non-boolean, or 10 seconds without a result, the page asks the person to come back
   * later.
   */
  readonly isSignedIn: (person: HostPerson, headers: Readonly<Record<string, string | undefined>>) => Promise<boolean>
}

const readSignedIn = reading(Schema.Boolean, "true or false")

const unavailable = (cause: unknown) => new AuthenticatorUnavailable({ cause })

/**
 * Layer of `ConsumerAuthenticator` that asks the host. A thrown error, a rejected promise, or a result other than
 * `true` or `false` becomes `AuthenticatorUnavailable`.
 */
export const layer = (signIn: HostSignIn): Layer.Layer<ConsumerAuthenticator> =>
  layerSession(
    ({ headers, person }) =>
      Effect.tryPromise({
        try: async (): Promise<unknown> => signIn.isSignedIn(person, Redacted.value(headers)),
        catch: unavailable
      }).pipe(Effect.flatMap((answer) => Effect.fromResult(Result.mapError(readSignedIn(answer), unavailable)))),
    signIn.url
  )
