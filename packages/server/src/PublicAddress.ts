import { ConsentUrls, hostedBelow } from "@surety/core/consent/link/ConsentUrls"
import { Context, Effect, Layer } from "effect"
import type { Settings } from "./settings/Settings.js"

/** The server's public url, without a trailing slash: `PUBLIC_URL`, or else the server's origin and base path. */
export class PublicAddress extends Context.Service<
  PublicAddress,
  {
    readonly url: () => string
    /**
     * Sets the origin to use if `PUBLIC_URL` is not set. With `PORT=0`, this origin is known only once the server
     * listens.
     */
    readonly listensAt: (origin: string) => Effect.Effect<void>
  }
>()("@surety/server/PublicAddress") {}

export const layer = ({ basePath, host, port, publicUrl }: Settings): Layer.Layer<PublicAddress> =>
  Layer.sync(PublicAddress, () => {
    let listening = `http://${host}:${port}`
    return PublicAddress.of({
      url: () => publicUrl ?? `${listening}${basePath}`,
      listensAt: (origin) =>
        Effect.sync(() => {
          listening = origin
        })
    })
  })

export const consentUrls: Layer.Layer<ConsentUrls, never, PublicAddress> = Layer.effect(
  ConsentUrls,
  Effect.map(PublicAddress, ({ url }) => hostedBelow(url))
)
