import { Clock, type Duration, Effect, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

/** `at` is in milliseconds on the test's clock. */
export interface ScriptedRequest {
  readonly at: number
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export type ScriptedAnswer =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly after?: Duration.Input }
  | "never"

/**
 * Makes an HTTP client that uses no network. It records requests and returns the script's responses. Delays run on the
 * test's clock.
 */
export const scriptedReceiver = (script: (index: number, request: ScriptedRequest) => ScriptedAnswer) => {
  const requests: Array<ScriptedRequest> = []
  const client = HttpClient.make((request, url) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) => {
      const received = { at, url: url.href, headers: { ...request.headers } }
      requests.push(received)
      const answer = script(requests.length - 1, received)
      if (answer === "never") return Effect.never
      const { after, headers = {}, status } = answer
      const response = HttpClientResponse.fromWeb(request, new Response(null, { status, headers }))
      return after === undefined ? Effect.succeed(response) : Effect.delay(Effect.succeed(response), after)
    })
  )
  return { requests, layer: Layer.succeed(HttpClient.HttpClient, client) }
}
