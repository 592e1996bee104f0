import { Effect, Redacted } from "effect"
import { HttpRouter } from "effect/http"

/** The token in the address. It is redacted from here on. */
export const linkToken: Effect.Effect<Redacted.Redacted<string>, never, HttpRouter.RouteContext> = Effect.map(
  HttpRouter.params,
  ({ token = "" }) => Redacted.make(token, { label: "consent token" })
)
