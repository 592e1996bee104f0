import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import type { ConsentServices } from "@surety/core/consent/ConsentServices"
import { UserId } from "@surety/core/Ids"
import { Effect, type ManagedRuntime, Option, Schema } from "effect"
import { Action, act, draw, tell } from "./consentScreen.ts"

const readAction = Schema.decodeUnknownOption(Action)

const readUserId = Schema.decodeUnknownOption(UserId)

/** Returns the id of the signed-in user, or `undefined` for a visitor. In this example, the cookie holds the id. */
const signedIn = (cookie: string | undefined): UserId | undefined =>
  Option.getOrUndefined(readUserId(/(?:^|; )session=([\w]+)/.exec(cookie ?? "")?.[1]))

const answer = (response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void => {
  const kept = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store", ...headers }
  response.writeHead(status, kept).end(body)
}

/** Builds the platform's own server; any framework works. The server calls core, and core never calls the server. */
export const makeApp = <E>(runtime: ManagedRuntime.ManagedRuntime<ConsentServices, E>): Server => {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const userId = signedIn(request.headers.cookie)
    if (userId === undefined) return answer(response, 401, "Sign in first.")
    if (request.method !== "POST") return answer(response, 200, await runtime.runPromise(Effect.orDie(draw(userId))))
    const form = new URLSearchParams(await text(request))
    const action = readAction({ ...Object.fromEntries(form), fields: form.getAll("fields") })
    if (Option.isNone(action)) return answer(response, 400, "That is no answer.")
    const refused = await runtime.runPromise(
      Effect.match(act(userId, action.value), { onFailure: ({ _tag }) => tell(_tag), onSuccess: (reason) => reason })
    )
    return refused === undefined ? answer(response, 303, "", { location: "/" }) : answer(response, 409, refused)
  }
  return createServer((request, response) => {
    respond(request, response).catch(() => answer(response, 500, "Something failed. Try again."))
  })
}
