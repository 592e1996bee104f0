import { Context, DateTime, Duration, Effect, Layer, Option, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { OperatorSessionId } from "../../Ids.js"
import { networkOfAddress } from "../../limit/ClientAddress.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import { sameText } from "../../secret/sameText.js"
import * as Worker from "../../Worker.js"
import type { OperatorCredential, OperatorRole } from "../Operator.js"
import { OperatorActions } from "../OperatorActions.js"
import { credentialOf, credentials, hashOf, OperatorTokens } from "../OperatorCredentials.js"
import {
  longestUserAgent,
  type OperatorSession,
  SessionTokenHash,
  type SignInMethod,
  touchEvery
} from "./OperatorSession.js"
import { type InForce, OperatorSessionStore } from "./OperatorSessionStore.js"

export interface SessionLimits {
  /** Maximum time between two requests. */
  readonly idle: Duration.Duration
  /** Maximum time since sign-in, regardless of use. */
  readonly absolute: Duration.Duration
}

export const SessionLimits = Context.Reference<SessionLimits>("@surety/core/operator/session/SessionLimits", {
  defaultValue: () => ({ idle: Duration.minutes(30), absolute: Duration.hours(12) })
})

export interface SignInOrigin {
  /** The client's address. Only its network is stored. */
  readonly address?: string | undefined
  /** The browser's user agent string. Only its start is stored. */
  readonly userAgent?: string | undefined
}

/** An operator who signed in at an identity provider or in the host's own system. */
export interface SignedInElsewhere extends SignInOrigin {
  /** The operator's name, of 1 to 64 characters. Must be the same at every sign-in. */
  readonly operator: string
  readonly roles: ReadonlyArray<OperatorRole>
  readonly signedInBy: Exclude<SignInMethod, "TOKEN">
}

/** A new session. Its token cannot be retrieved again. */
export interface OpenedSession {
  readonly session: OperatorSession
  /** 32 random bytes in base64url. */
  readonly token: Redacted.Redacted<string>
}

/** Operators' console sessions. Times come from the `Clock` service: over PostgreSQL, the database's clock. */
export class OperatorSessions extends Context.Service<
  OperatorSessions,
  {
    /** Opens a session for the bearer of an operator's token. `None` if the token is not valid. */
    readonly signIn: (
      token: Redacted.Redacted<string>,
      origin: SignInOrigin
    ) => Effect.Effect<Option.Option<OpenedSession>, StoreError>

    /** Opens a session for an operator who signed in at an identity provider or through the host. */
    readonly open: (who: SignedInElsewhere) => Effect.Effect<OpenedSession, StoreError>

    /**
     * Returns the session of a session token, if active. If an operator's token opened the session, its roles are
     * replaced by that token's current role. If that token has since been replaced, removed or renamed in the settings,
     * ends the session and returns `None`.
     */
    readonly use: (token: Redacted.Redacted<string>) => Effect.Effect<Option.Option<OperatorSession>, StoreError>

    /**
     * Ends a session on behalf of `actor`. Returns false if it does not exist or is no longer active. `reason` is
     * stored in the action.
     */
    readonly end: (id: OperatorSessionId, actor: string, reason?: string) => Effect.Effect<boolean, StoreError>

    /** Ends all active sessions of an operator on behalf of `actor`, and returns the count. */
    readonly endAll: (operator: string, actor: string) => Effect.Effect<number, StoreError>

    /** Lists active sessions, newest first. An undefined operator does not filter. */
    readonly list: (operator: string | undefined, page: PageRequest) => Effect.Effect<Page<OperatorSession>, StoreError>

    /** Deletes sessions that are no longer active, and returns their count. */
    readonly sweep: Effect.Effect<number, StoreError>
  }
>()("@surety/core/operator/session/OperatorSessions") {}

const tokenBytes = 32

/** Maximum length of a presented session token. Longer tokens cannot be valid, and are rejected without hashing. */
const longestToken = 128

const sweptAtOnce = 500

/**
 * Returns `OperatorSession.credential` for an operator's token. It is a hash of the token's hash, so that stored
 * sessions do not reveal the hash in the settings.
 */
const credentialName = ({ tokenHash }: OperatorCredential) => hashOf(`surety session ${tokenHash}`)

type Needs = OperatorSessionStore | OperatorActions | Digest.Digest | SecureRandom.SecureRandom

export const layer: Layer.Layer<OperatorSessions, never, Needs> = Layer.effect(
  OperatorSessions,
  Effect.gen(function* () {
    const store = yield* OperatorSessionStore
    const actions = yield* OperatorActions
    const digest = yield* Digest.Digest
    const random = yield* SecureRandom.SecureRandom
    const tokens = yield* OperatorTokens
    const limits = yield* SessionLimits

    const hashing = Effect.provideService(Digest.Digest, digest)

    const named = yield* hashing(
      Effect.flatMap(credentials(tokens), (all) =>
        Effect.forEach(all, (credential) =>
          Effect.map(credentialName(credential), (name) => ({ name, role: credential.role, operator: credential.name }))
        )
      )
    )

    const inForceNow = Effect.map(
      DateTime.now,
      (now): InForce => ({ now, usedAfter: DateTime.subtractDuration(now, limits.idle) })
    )

    const tokenHashOf = (token: Redacted.Redacted<string>) =>
      Effect.map(hashing(hashOf(Redacted.value(token))), (hash) => SessionTokenHash.make(hash))

    const opened = Effect.fnUntraced(function* (
      { address, userAgent }: SignInOrigin,
      who: Pick<OperatorSession, "operator" | "roles" | "signedInBy" | "credential">
    ) {
      const createdAt = yield* DateTime.now
      const network = address === undefined ? undefined : networkOfAddress(address)
      const session: OperatorSession = {
        id: yield* Effect.provideService(OperatorSessionId.next, SecureRandom.SecureRandom, random),
        ...who,
        ...(network === undefined ? {} : { address: network }),
        ...(userAgent === undefined ? {} : { userAgent: [...userAgent].slice(0, longestUserAgent).join("") }),
        createdAt,
        lastUsedAt: createdAt,
        endsAt: DateTime.addDuration(createdAt, limits.absolute)
      }
      const token = Redacted.make(Base64Url.encode(yield* random.randomBytes(tokenBytes)), { label: "session token" })
      const tokenHash = yield* tokenHashOf(token)
      yield* actions.record(who.operator, store.insert(session, tokenHash), () => ({
        kind: "session.opened",
        target: session.id,
        changes: [{ field: "signedInBy", to: session.signedInBy }]
      }))
      return { session, token }
    })

    const signIn = Effect.fn("OperatorSessions.signIn")(function* (
      token: Redacted.Redacted<string>,
      origin: SignInOrigin
    ) {
      const credential = yield* hashing(credentialOf(tokens, token))
      if (credential === undefined) return Option.none()
      const { name: operator, role } = credential
      const name = yield* hashing(credentialName(credential))
      return Option.some(yield* opened(origin, { operator, roles: [role], signedInBy: "TOKEN", credential: name }))
    })

    const open = Effect.fn("OperatorSessions.open")(({ operator, roles, signedInBy, ...origin }: SignedInElsewhere) =>
      opened(origin, { operator, roles, signedInBy })
    )

    const rolesNow = ({ credential, operator, roles, signedInBy }: OperatorSession) => {
      if (signedInBy !== "TOKEN") return roles
      const known = named.find(({ name }) => credential !== undefined && sameText(name, credential))
      return known?.operator === operator ? [known.role] : undefined
    }

    const use = Effect.fn("OperatorSessions.use")(function* (token: Redacted.Redacted<string>) {
      if (Redacted.value(token).length > longestToken) return Option.none()
      const inForce = yield* inForceNow
      const touchedBefore = DateTime.subtractDuration(inForce.now, touchEvery)
      const found = yield* store.use(yield* tokenHashOf(token), { ...inForce, touchedBefore })
      if (Option.isNone(found)) return found
      const roles = rolesNow(found.value)
      if (roles !== undefined) return Option.some({ ...found.value, roles })
      yield* store.end(found.value.id, inForce)
      return Option.none()
    })

    const end = Effect.fn("OperatorSessions.end")(function* (id: OperatorSessionId, actor: string, reason?: string) {
      const ended = yield* actions.record(
        actor,
        store.end(id, yield* inForceNow),
        Option.match({
          onNone: () => undefined,
          onSome: ({ operator }) => ({
            kind: "session.ended",
            target: id,
            ...(reason === undefined ? {} : { reason }),
            changes: [{ field: "operator", to: operator }]
          })
        })
      )
      return Option.isSome(ended)
    })

    const endAll = Effect.fn("OperatorSessions.endAll")(function* (operator: string, actor: string) {
      return yield* actions.record(actor, store.endAll(operator, yield* inForceNow), (count) =>
        count === 0
          ? undefined
          : { kind: "session.ended", target: operator, changes: [{ field: "sessions", to: String(count) }] }
      )
    })

    const list = Effect.fn("OperatorSessions.list")((operator: string | undefined, page: PageRequest) =>
      Effect.flatMap(inForceNow, (inForce) => store.list(operator, inForce, page))
    )

    const sweep = Effect.gen(function* () {
      let total = 0
      while (true) {
        const swept = yield* store.sweep(yield* inForceNow, sweptAtOnce)
        total += swept
        if (swept < sweptAtOnce) return total
      }
    }).pipe(Effect.withSpan("OperatorSessions.sweep"))

    return OperatorSessions.of({ signIn, open, use, end, endAll, list, sweep })
  })
)

export const worker = Worker.make(
  { name: "Sweep of operator sessions", every: Duration.minutes(10) },
  Effect.flatMap(OperatorSessions, ({ sweep }) => sweep)
)
