import { randomBytes } from "node:crypto"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { HttpSettings } from "@surety/http/HttpSettings"
import * as WebHandler from "@surety/http/WebHandler"
import { Effect, Layer, Redacted } from "effect"
import * as App from "../../App.js"
import type { SchemaPurpose } from "../../Database.js"
import { operatorToken } from "../../DevelopmentKeys.js"
import { httpSettings } from "../../httpSettings.js"
import * as Logging from "../../Logging.js"
import { StartFailed } from "../../StartFailed.js"
import type { Settings } from "../../settings/Settings.js"
import { tokenHashOf } from "../../settings/tokenHashOf.js"
import * as startFailed from "../../startFailures.js"
import { settings } from "../environment.js"
import { serverAddress } from "./serverAddress.js"

/** A request to the API on behalf of the operator. `target` is the path below the base path, with the query. */
export interface Asked {
  readonly method: string
  readonly target: string
  readonly body: string | undefined
  readonly idempotencyKey?: string | undefined
  /** Media type of a successful response. Default: `application/json`. */
  readonly mediaType?: string | undefined
  /** How the command uses the database if it calls no server. */
  readonly purpose: SchemaPurpose
}

export interface OperatorResponse {
  readonly status: number
  /** Media type in lower case, without parameters. Empty if the response has none. */
  readonly mediaType: string
  readonly text: string
}

const requestOf = (baseUrl: string, token: Redacted.Redacted<string>, asked: Asked): Request => {
  const { body, idempotencyKey, method, target } = asked
  return new Request(`${baseUrl}${target}`, {
    method,
    headers: {
      authorization: `Bearer ${Redacted.value(token)}`,
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body }),
    redirect: "manual"
  })
}

const mediaTypeOf = ({ headers }: Response): string =>
  (headers.get("content-type") ?? "").replace(/;.*$/su, "").trim().toLowerCase()

const answerOf = (response: Response) =>
  Effect.map(
    Effect.tryPromise({
      try: () => response.text(),
      catch: () =>
        new StartFailed({
          message: "The response was cut off. Check whether the command took effect before you retry."
        })
    }),
    (text): OperatorResponse => ({ status: response.status, mediaType: mediaTypeOf(response), text })
  )

const askServer = Effect.fnUntraced(function* (current: Settings, server: string, asked: Asked) {
  const address = yield* serverAddress(server)
  const token = yield* operatorToken(current).pipe(
    Effect.provide(NodeServices.layer),
    Effect.mapError((cause) => startFailed.operatorToken(current, cause))
  )
  const request = requestOf(address, token, asked)
  const response = yield* Effect.tryPromise({
    try: () => fetch(request),
    catch: () => new StartFailed({ message: `No server responds at ${address}. Is it running there?` })
  })
  return yield* answerOf(response)
})

const localOrigin = "http://localhost"

const askDatabase = Effect.fnUntraced(function* (current: Settings, asked: Asked) {
  const { app, keys } = yield* App.open(current, asked.purpose)
  // The caller has the database and the keys, so it needs no token of its own. The token created here carries the
  // operator's name.
  const token = Redacted.make(randomBytes(32).toString("base64url"), { label: "operator token" })
  const operator = { name: current.operatorName, role: "admin" as const, tokenHash: tokenHashOf(token) }
  const ours = {
    ...httpSettings(current, keys, localOrigin),
    basePath: "",
    provisioning: "token" as const,
    operatorToken: undefined,
    operators: [operator]
  }
  const services = Layer.mergeAll(
    Layer.succeedContext(app),
    Layer.succeed(HttpSettings, ours),
    Logging.layer({ ...current, logLevel: "Warn" })
  )
  const handler = yield* Effect.acquireRelease(
    Effect.sync(() => WebHandler.make(services)),
    ({ dispose }) => Effect.promise(dispose)
  )
  const request = requestOf(localOrigin, token, asked)
  return yield* answerOf(yield* Effect.promise(() => handler.handle(request)))
})

/**
 * Sends the request to `server`. If `server` is undefined, serves the request in this process from the configured
 * database.
 */
export const ask = Effect.fnUntraced(function* (server: string | undefined, asked: Asked) {
  const current = yield* settings
  return yield* server === undefined ? askDatabase(current, asked) : askServer(current, server, asked)
}, Effect.scoped)
