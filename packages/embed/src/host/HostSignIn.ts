import {
  AuthenticatorUnavailable,
  type ConsumerAuthenticator,
  layerSession
} from "@surety/core/consent/ConsumerAuthenticator"
import { Effect, type Layer, Redacted } from "effect"
import type { HostPerson } from "./HostDirectory.js"

/** Lets the hosted pages show nothing to whoever has the link but is not signed in with the host as that person. */
export interface HostSignIn {
  /** Where to sign in. The link is opened again afterwards. */
  readonly url: string
  /**
   * Whether this request is the person's own, by the host's session. Header names are in lower case. A rejected promise:
   * nothing is shown, and the person is asked to come back.
   */
  readonly isSignedIn: (person: HostPerson, headers: Readonly<Record<string, string | undefined>>) => Promise<boolean>
}

/** The port that stands for the host's sessions. */
export const layer = (signIn: HostSignIn): Layer.Layer<ConsumerAuthenticator> =>
  layerSession(
    ({ headers, person }) =>
      Effect.tryPromise({
        try: async () => signIn.isSignedIn(person, Redacted.value(headers)),
        catch: (cause) => new AuthenticatorUnavailable({ cause })
      }),
    signIn.url
  )
