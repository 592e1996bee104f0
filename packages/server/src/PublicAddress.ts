import { ConsentLinks, linksBelow } from "@surety/core/consent/link/ConsentUrls"
import { Context, Effect, Layer } from "effect"
import type { Settings } from "./settings/Settings.js"

/** How the outside reaches the server, base path included, without a trailing slash. */
export class PublicAddress extends Context.Service<
  PublicAddress,
  {
    readonly url: () => string
    /** Notes where the server listens. Without `PUBLIC_URL` the address follows from it, since `PORT=0` picks a port. */
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

/** The pages on which people decide and take consents back, below the server's public address. */
export const consentLinks: Layer.Layer<ConsentLinks, never, PublicAddress> = Layer.effect(
  ConsentLinks,
  Effect.map(PublicAddress, ({ url }) => linksBelow(url))
)
