import { OperatorSessionId } from "@surety/core/Ids"
import { clientOfAddress } from "@surety/core/limit/ClientAddress"
import type { RateLimit } from "@surety/core/limit/RateLimit"
import { RateLimiter } from "@surety/core/limit/RateLimiter"
import { foldedName } from "@surety/core/operator/Operator"
import { credentialOf, OperatorTokens } from "@surety/core/operator/OperatorCredentials"
import { SessionLimits, type SignInOrigin } from "@surety/core/operator/session/OperatorSessions"
import { guardField } from "@surety/page-kit/form/FormGuard"
import { readSentForm } from "@surety/page-kit/form/SentForm"
import { html } from "@surety/page-kit/Html"
import { DateTime, Effect, Option, Redacted, Schema } from "effect"
import type { Digest } from "effect/crypto"
import { HttpRouter, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { consolePaths, safeNext } from "../ConsolePaths.js"
import { sessionColumns } from "../record/operatorColumns.js"
import { fileColumns } from "../screen/columns.js"
import { csvFile } from "../screen/csv.js"
import { unavailableScreen } from "../screen/refusalScreens.js"
import { operatorSignInScreen, sessionsScreen } from "../sign/signInScreens.js"
import { type ConsoleKit, fileAnswer, queryOf } from "./ConsoleKit.js"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/**
 * Rate limit on wrong tokens per client: a burst of five, then one every 12 seconds. It makes guessing impractical, but
 * an honest mistake costs little time.
 */
const wrongTokens: RateLimit = { name: "console-sign-in", perSecond: 5 / 60, burst: 5 }

const longestToken = 512

const addressOf = ({ remoteAddress }: Request): string => Option.getOrElse(remoteAddress, () => "unknown")

/**
 * Returns the client's address and user agent, if known. A session stores only the address's network and the start of
 * the user agent.
 */
export const originOf = (request: Request): SignInOrigin => ({
  ...(Option.isSome(request.remoteAddress) ? { address: request.remoteAddress.value } : {}),
  ...(request.headers["user-agent"] === undefined ? {} : { userAgent: request.headers["user-agent"] })
})

const isSessionId = Schema.is(OperatorSessionId)

/** Adds the routes for sign-in, sign-out and the operator's own sessions. Redirects `/console` to the LIVE overview. */
export const addSignInRoutes = Effect.fnUntraced(function* (kit: ConsoleKit) {
  const router = yield* HttpRouter.HttpRouter
  const limiter = yield* RateLimiter
  const tokens = yield* OperatorTokens
  const { idle } = yield* SessionLimits
  const services = yield* Effect.context<Digest.Digest>()
  const { guard, sessions, settings } = kit
  const { signIn: ways } = settings

  /** Number of token checks in flight per client. */
  const checking = new Map<string, number>()
  const countChecks = (client: string, by: 1 | -1) =>
    Effect.sync(() => {
      const count = (checking.get(client) ?? 0) + by
      if (count > 0) checking.set(client, count)
      else checking.delete(client)
    })
  const whileCounted = <A, E, R>(client: string, check: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      countChecks(client, 1),
      () => check,
      () => countChecks(client, -1)
    )

  const answering =
    <E>(answer: (request: Request) => Effect.Effect<Response, E>) =>
    (request: Request): Effect.Effect<Response> =>
      Effect.catchCause(answer(request), (cause) =>
        Effect.as(
          Effect.logError("Console page failed", cause),
          kit.solo(unavailableScreen, 503, { "retry-after": "30" })
        )
      )

  const drawSignIn = Effect.fnUntraced(function* (
    request: Request,
    shown: { readonly next: string; readonly error?: string; readonly written?: string },
    status = 200,
    headers: Readonly<Record<string, string>> = {}
  ) {
    const visiting = yield* guard.visiting(request)
    const screen = operatorSignInScreen({
      guard: yield* guard.field(visiting.visit, consolePaths.signIn),
      action: kit.hrefOf(consolePaths.signIn),
      next: shown.next,
      error: shown.error,
      byToken: ways.byToken,
      oidc:
        ways.oidc === undefined
          ? undefined
          : {
              href: `${kit.hrefOf(consolePaths.oidc)}?${new URLSearchParams({ next: shown.next })}`,
              name: ways.oidc.name
            },
      written: shown.written ?? "",
      idle
    })
    const drawn = kit.solo(screen, status, headers)
    return visiting.isNew ? kit.withCookie(drawn, guard.visitCookie, visiting.visit) : drawn
  })

  /**
   * Opens a session for the operator named by the host's own session, and redirects to `next`. Returns `undefined` if
   * the host names no valid operator with a role.
   */
  const byHost = Effect.fnUntraced(function* (request: Request, next: string) {
    const found = yield* kit.hostOperator(request)
    if (found === undefined) return undefined
    const opened = yield* sessions.open({
      operator: found.name,
      roles: found.roles,
      signedInBy: "HOST",
      ...originOf(request)
    })
    return kit.withSession(kit.seeOther(next), opened.token)
  })

  yield* router.add(
    "GET",
    consolePaths.signIn,
    answering(
      Effect.fnUntraced(function* (request) {
        const next = safeNext(queryOf(request).get("next") ?? undefined)
        if (Option.isSome(yield* kit.sessionOf(request))) return kit.seeOther(next)
        return (yield* byHost(request, next)) ?? (yield* drawSignIn(request, { next }))
      })
    )
  )

  yield* router.add(
    "POST",
    consolePaths.signIn,
    answering(
      Effect.fnUntraced(function* (request) {
        const sent = yield* Effect.option(readSentForm(request))
        const form = Option.getOrUndefined(sent)
        const next = safeNext(form?.first("next"))
        const isGenuine =
          form !== undefined && (yield* guard.isGenuine(request, form.first(guardField), consolePaths.signIn))
        if (!isGenuine || !ways.byToken) {
          return yield* drawSignIn(request, { next, error: "The page was old. Sign in again." }, 403)
        }
        const client = clientOfAddress(addressOf(request))
        const name = (form.first("name") ?? "").trim()
        const { isAllowed, remaining, resetMillis } = yield* limiter.peek(wrongTokens, client)
        // Each check in flight counts as a wrong token, so at most five per client run concurrently in this process.
        if (!isAllowed || (checking.get(client) ?? 0) >= Math.max(1, Math.floor(remaining))) {
          const seconds = Math.max(1, Math.ceil(resetMillis / 1000))
          const error = `Too many wrong tokens from this address. Try again in ${seconds} s.`
          return yield* drawSignIn(request, { next, error }, 429, { "retry-after": String(seconds) })
        }
        const token = (form.first("token") ?? "").trim()
        const presented = Redacted.make(token, { label: "operator token" })
        const opened = yield* whileCounted(
          client,
          Effect.gen(function* () {
            const credential =
              token.length > longestToken
                ? undefined
                : yield* Effect.provideContext(credentialOf(tokens, presented), services)
            const signedIn =
              credential !== undefined && foldedName(credential.name) === foldedName(name)
                ? yield* sessions.signIn(presented, originOf(request))
                : Option.none()
            if (Option.isNone(signedIn)) yield* limiter.take(wrongTokens, client)
            return signedIn
          })
        )
        if (Option.isNone(opened)) {
          yield* Effect.logWarning("Console sign-in refused: no operator has this name and token")
          const error = "No operator has this name and token. Check both and sign in again."
          return yield* drawSignIn(request, { next, error, written: name }, 401)
        }
        return kit.withSession(kit.seeOther(next), opened.value.token)
      })
    )
  )

  yield* router.add(
    "POST",
    consolePaths.signOut,
    answering(
      Effect.fnUntraced(function* (request) {
        const session = yield* kit.sessionOf(request)
        if (Option.isNone(session)) return kit.withoutSession(kit.seeOther(consolePaths.signIn))
        const form = Option.getOrUndefined(yield* Effect.option(readSentForm(request)))
        const { id, operator } = session.value
        const isGenuine = yield* guard.isOfVisit(request, id, form?.first(guardField), consolePaths.signOut)
        if (!isGenuine) return kit.seeOther(consolePaths.sessions)
        yield* sessions.end(id, operator)
        return kit.withoutSession(kit.seeOther(consolePaths.signIn))
      })
    )
  )

  const endForm = (here: string, id: string) =>
    Effect.map(
      guard.field(here, `${consolePaths.sessions} ${id}`),
      (field) =>
        html`<form method="post" action="${kit.hrefOf(consolePaths.sessions)}">${field}<input type="hidden" name="session" value="${id}"><button>End it</button></form>`
    )

  yield* router.add(
    "GET",
    consolePaths.sessions,
    answering(
      Effect.fnUntraced(function* (request) {
        const session = yield* kit.sessionOf(request)
        if (Option.isNone(session)) return kit.seeOther(consolePaths.signIn)
        const here = session.value
        const { data, nextCursor } = yield* sessions.list(here.operator, { limit: 100, cursor: undefined })
        const now = yield* DateTime.now
        if (queryOf(request).get("format") === "csv") {
          const columns = fileColumns(sessionColumns({ now, times: kit.times }))
          return fileAnswer(csvFile({ now }, { name: "my-sessions", columns }, data, nextCursor !== undefined))
        }
        const forms = new Map(
          yield* Effect.forEach(data, ({ id }) => Effect.map(endForm(here.id, id), (form) => [id, form] as const))
        )
        return kit.solo(
          sessionsScreen({
            sessions: data,
            here,
            now,
            times: kit.times,
            csv: `${kit.hrefOf(consolePaths.sessions)}?format=csv`,
            back: kit.hrefOf(consolePaths.home),
            formOf: ({ id }) => forms.get(id) ?? html``
          })
        )
      })
    )
  )

  yield* router.add(
    "POST",
    consolePaths.sessions,
    answering(
      Effect.fnUntraced(function* (request) {
        const session = yield* kit.sessionOf(request)
        if (Option.isNone(session)) return kit.seeOther(consolePaths.signIn)
        const { id: here, operator } = session.value
        const form = Option.getOrUndefined(yield* Effect.option(readSentForm(request)))
        const id = form?.first("session")
        const isGenuine = yield* guard.isOfVisit(
          request,
          here,
          form?.first(guardField),
          `${consolePaths.sessions} ${id}`
        )
        if (!isGenuine || !isSessionId(id)) return kit.seeOther(consolePaths.sessions)
        const { data } = yield* sessions.list(operator, { limit: 100, cursor: undefined })
        // Searches only the operator's own newest 100 sessions. The id of another operator's session has no effect.
        if (data.some((own) => own.id === id)) yield* sessions.end(id, operator)
        return kit.seeOther(consolePaths.sessions)
      })
    )
  )

  yield* router.add("GET", consolePaths.home, () => Effect.succeed(kit.seeOther("/console/live/overview")))
})
