import { ConsentLinks, linksBelow } from "@surety/core/consent/link/ConsentUrls"
import { Context, Effect, Layer } from "effect"
import type { Settings } from "./settings/Settings.js"

/** The server's public url, base path included, without a trailing slash. */
export class PublicAddress extends Context.Service<
  PublicAddress,
  {
    readonly url: () => string
    /** Sets where the server listens: the address if `PUBLIC_URL` is not set, known only then because of `PORT=0`. */
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

/** Links to the consent pages, below the public address. */
export const consentLinks: Layer.Layer<ConsentLinks, never, PublicAddress> = Layer.effect(
  ConsentLinks,
  Effect.map(PublicAddress, ({ url }) => linksBelow(url))
)
