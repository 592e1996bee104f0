import { Context, Layer, Redacted } from "effect"
import type { SealedSecret } from "../secret/Keyring.js"
import type { ConsentTokenHash } from "./ConsentToken.js"

/** Where a person decides on a request, as it is stored: never the token itself. */
export interface ConsentLink {
  readonly tokenHash: ConsentTokenHash
  /** The whole address, sealed for the request's id: it is sent after the commit, and may have to be sent again. */
  readonly sealedUrl: SealedSecret
}

/** The address of the page on which the holder of a token decides. */
export class ConsentLinks extends Context.Service<
  ConsentLinks,
  {
    readonly urlOf: (token: Redacted.Redacted<string>) => Redacted.Redacted<string>
  }
>()("@surety/core/consent/ConsentLinks") {}

/** The hosted page: `{publicUrl}/consent/{token}`. `publicUrl` is how the outside reaches the service. */
export const urlAt = (publicUrl: string, token: Redacted.Redacted<string>): Redacted.Redacted<string> =>
  Redacted.make(`${publicUrl.replace(/\/+$/u, "")}/consent/${Redacted.value(token)}`, { label: "consent link" })

/** The hosted page of a service whose public address is known from the start. */
export const layer = (publicUrl: string): Layer.Layer<ConsentLinks> =>
  Layer.succeed(ConsentLinks, { urlOf: (token) => urlAt(publicUrl, token) })
