import {
  AuthenticatorUnavailable,
  type ConsumerAuthenticator,
  layerSession
} from "@surety/core/consent/admission/ConsumerAuthenticator"
import { reading } from "@surety/core/host/HostAnswer"
import { Effect, type Layer, Redacted, Result, Schema } from "effect"
import type { HostPerson } from "./HostDirectory.js"

/** Lets the hosted pages show nothing to whoever has the link but is not signed in with the host as that person. */
export interface HostSignIn {
  /** Where to sign in. The link is opened again afterwards. */
  readonly url: string
  /**
   * Whether this request is the person's own, by the host's session. Header names are in lower case. After a rejected
   * promise, anything but `true` or `false`, or no answer within 10 seconds nothing is shown, and the person is asked to
   * come back.
   */
  readonly isSignedIn: (person: HostPerson, headers: Readonly<Record<string, string | undefined>>) => Promise<boolean>
}

const readSignedIn = reading(Schema.Boolean, "true or false")

const unavailable = (cause: unknown) => new AuthenticatorUnavailable({ cause })

/** The port that stands for the host's sessions. */
export const layer = (signIn: HostSignIn): Layer.Layer<ConsumerAuthenticator> =>
  layerSession(
    ({ headers, person }) =>
      Effect.tryPromise({
        try: async (): Promise<unknown> => signIn.isSignedIn(person, Redacted.value(headers)),
        catch: unavailable
      }).pipe(Effect.flatMap((answer) => Effect.fromResult(Result.mapError(readSignedIn(answer), unavailable)))),
    signIn.url
  )
