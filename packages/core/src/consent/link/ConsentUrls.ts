import { Context, Layer, Redacted } from "effect"

/** Path of the decision page below the public url. `:token` stands for the link's token. */
export const decisionPath = "/consent/:token"
export const managementPath = "/consents/:token"

/** Builds the urls of the page for deciding on a request and of the page for revoking consents. */
export class ConsentUrls extends Context.Service<
  ConsentUrls,
  {
    readonly urlOf: (token: Redacted.Redacted<string>) => Redacted.Redacted<string>
    readonly managementUrlOf: (token: Redacted.Redacted<string>) => Redacted.Redacted<string>
  }
>()("@surety/core/consent/link/ConsentUrls") {}

/**
 * Builds the urls of the hosted pages below `publicUrl`. `publicUrl` is a function, because a server may not know its
 * own url before it starts.
 */
export const hostedBelow = (publicUrl: () => string): ConsentUrls["Service"] => {
  const urlFor = (path: string) => (token: Redacted.Redacted<string>) =>
    Redacted.make(publicUrl().replace(/\/+$/u, "") + path.replace(":token", () => Redacted.value(token)), {
      label: "consent link"
    })
  return { urlOf: urlFor(decisionPath), managementUrlOf: urlFor(managementPath) }
}

/** Builds a layer with the urls of the hosted pages below a public url that is known in advance. */
export const layer = (publicUrl: string): Layer.Layer<ConsentUrls> =>
  Layer.succeed(
    ConsentUrls,
    hostedBelow(() => publicUrl)
  )
