import { Context, Layer, Redacted } from "effect"
import type { SealedSecret } from "../../secret/Keyring.js"
import type { ConsentTokenHash } from "./ConsentToken.js"

/** Where a person decides on a request, as it is stored: never the token itself. */
export interface ConsentLink {
  readonly tokenHash: ConsentTokenHash
  /** The whole address, sealed for the request's id: it is sent after the commit, and may have to be sent again. */
  readonly sealedUrl: SealedSecret
}

/** The addresses of the pages on which the holder of a token decides, and takes consents back. */
export class ConsentLinks extends Context.Service<
  ConsentLinks,
  {
    readonly urlOf: (token: Redacted.Redacted<string>) => Redacted.Redacted<string>
    readonly managementUrlOf: (token: Redacted.Redacted<string>) => Redacted.Redacted<string>
  }
>()("@surety/core/consent/link/ConsentUrls") {}

/**
 * The hosted pages: `{publicUrl}/consent/{token}` and `{publicUrl}/consents/{token}`. `publicUrl` is how the outside
 * reaches the service; it is asked for at each link, since a server may learn it only as it starts to listen.
 */
export const linksBelow = (publicUrl: () => string): ConsentLinks["Service"] => {
  const linkTo = (page: string, token: Redacted.Redacted<string>) =>
    Redacted.make(`${publicUrl().replace(/\/+$/u, "")}/${page}/${Redacted.value(token)}`, { label: "consent link" })
  return { urlOf: (token) => linkTo("consent", token), managementUrlOf: (token) => linkTo("consents", token) }
}

/** The hosted pages of a service whose public address is known from the start. */
export const layer = (publicUrl: string): Layer.Layer<ConsentLinks> =>
  Layer.succeed(
    ConsentLinks,
    linksBelow(() => publicUrl)
  )
