import { isSameOperator } from "@surety/core/operator/approval/Proposal"
import { type OperatorRole, soleOperator } from "@surety/core/operator/Operator"
import { Data, Effect, Option, Redacted, Ref, Schema } from "effect"
import * as OpenId from "openid-client"
import type { OidcProvider } from "../sign/OidcProvider.js"

/** Contains nothing that the provider sent. */
export class OidcFailed extends Data.TaggedError("OidcFailed")<{ readonly step: string; readonly reason: string }> {}

/**
 * Values of a pending sign-in, stored in a cookie of the browser that began it. The provider must return `state` and
 * `nonce`.
 */
export const PendingSignIn = Schema.Struct({
  state: Schema.String,
  nonce: Schema.String,
  verifier: Schema.String,
  next: Schema.String
})
export type PendingSignIn = typeof PendingSignIn.Type

/** Operator confirmed by the provider. `OidcProvider.roles` maps the values of the roles claim to `roles`. */
export interface Confirmed {
  readonly operator: string
  readonly roles: ReadonlyArray<OperatorRole>
}

const timeoutSeconds = 10

const isName = Schema.is(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64)))
const readValues = Schema.decodeUnknownOption(Schema.Union([Schema.String, Schema.Array(Schema.String)]))

/** Returns a failure's error code or name, but not its message, which may contain what the provider sent. */
const reasonOf = (cause: unknown): string => {
  if (typeof cause !== "object" || cause === null) return "unknown"
  if ("code" in cause && typeof cause.code === "string") return cause.code
  return "name" in cause && typeof cause.name === "string" ? cause.name : "unknown"
}

const tried = <A>(step: string, call: () => Promise<A>): Effect.Effect<A, OidcFailed> =>
  Effect.tryPromise({ try: call, catch: (cause) => new OidcFailed({ step, reason: reasonOf(cause) }) })

/** Builds a client for sign-in at a provider: the authorization code flow with PKCE, state and nonce. */
export const make = Effect.fnUntraced(function* (provider: OidcProvider, redirectUri: string) {
  const known = yield* Ref.make(Option.none<OpenId.Configuration>())

  const discovered = tried("discovery", () =>
    OpenId.discovery(new URL(provider.issuer), provider.clientId, Redacted.value(provider.clientSecret), undefined, {
      timeout: timeoutSeconds,
      // An issuer without TLS is for development. The server's production profile rejects it.
      execute: provider.issuer.startsWith("http:") ? [OpenId.allowInsecureRequests] : []
    })
  ).pipe(Effect.tap((found) => Ref.set(known, Option.some(found))))

  const configuration = Effect.flatMap(
    Ref.get(known),
    Option.match({ onNone: () => discovered, onSome: Effect.succeed })
  )

  const rolesOf = (claim: unknown): ReadonlyArray<OperatorRole> => {
    const values = Option.getOrElse(readValues(claim), () => [])
    const all = typeof values === "string" ? [values] : values
    return [
      ...new Set(all.flatMap((value) => (Object.hasOwn(provider.roles, value) ? (provider.roles[value] ?? []) : [])))
    ]
  }

  return {
    /** Returns the provider's sign-in url, and the pending sign-in for the browser's cookie. */
    begin: Effect.fnUntraced(function* (next: string) {
      const config = yield* configuration
      const pending: PendingSignIn = {
        state: OpenId.randomState(),
        nonce: OpenId.randomNonce(),
        verifier: OpenId.randomPKCECodeVerifier(),
        next
      }
      const challenge = yield* tried("begin", () => OpenId.calculatePKCECodeChallenge(pending.verifier))
      const url = OpenId.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: provider.scope,
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: challenge,
        code_challenge_method: "S256"
      })
      return { url: url.href, pending }
    }),

    /**
     * Exchanges the authorization code in the callback's query for the operator and roles. Fails unless the provider
     * confirms a name of 1 to 64 characters, other than `soleOperator.name`, and at least one role.
     */
    complete: Effect.fnUntraced(function* (query: string, pending: PendingSignIn) {
      const config = yield* configuration
      const tokens = yield* tried("code", () =>
        OpenId.authorizationCodeGrant(config, new URL(redirectUri + query), {
          expectedState: pending.state,
          expectedNonce: pending.nonce,
          pkceCodeVerifier: pending.verifier,
          idTokenExpected: true
        })
      )
      const claims: Readonly<Record<string, unknown>> = tokens.claims() ?? {}
      const operator = claims[provider.nameClaim]
      if (!isName(operator) || isSameOperator(operator, soleOperator.name)) {
        return yield* new OidcFailed({ step: "name", reason: `no usable claim ${provider.nameClaim}` })
      }
      const roles = rolesOf(claims[provider.rolesClaim])
      if (roles.length === 0) return yield* new OidcFailed({ step: "roles", reason: "no value that gives a role" })
      const confirmed: Confirmed = { operator, roles }
      return confirmed
    })
  }
})

export type OidcClient = Effect.Success<ReturnType<typeof make>>
