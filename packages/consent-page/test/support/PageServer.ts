import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as ConsentPage from "@surety/consent-page/ConsentPage"
import { ConsentPageSettings, defaultPageSettings } from "@surety/consent-page/ConsentPageSettings"
import type { ConsumerAuthenticator } from "@surety/core/consent/admission/ConsumerAuthenticator"
import type { StorePorts } from "@surety/core/StorePorts"
import type { Keyring } from "@surety/core/secret/Keyring"
import { pagesRouterConfig } from "@surety/page-kit/PageRouter"
import { Layer, Logger } from "effect"
import type { Digest, SecureRandom } from "effect/crypto"
import { HttpRouter } from "effect/http"
import * as Scene from "./Scene.js"

export type Changes = Partial<Omit<ConsentPageSettings["Service"], "publicUrl">>

export const settings = (publicUrl: string, changes: Changes = {}): ConsentPageSettings["Service"] => ({
  ...defaultPageSettings,
  platform: { name: "Naira Pay", contact: "privacy@nairapay.example" },
  ...changes,
  publicUrl
})

/** Serves the page on a local port over in-memory stores, and provides the consent services to the test. */
export const layer = (
  port: number,
  changes: Changes = {},
  authenticator?: Layer.Layer<
    ConsumerAuthenticator,
    never,
    StorePorts | Keyring | Digest.Digest | SecureRandom.SecureRandom
  >
) => {
  const publicUrl = `http://127.0.0.1:${port}${changes.basePath ?? ""}`
  const scene = Scene.layerAt(publicUrl, authenticator)
  return HttpRouter.serve(ConsentPage.layer, {
    routerConfig: pagesRouterConfig,
    disableLogger: true,
    disableListenLog: true
  }).pipe(
    Layer.provide(NodeHttpServer.layer(() => createServer(), { host: "127.0.0.1", port })),
    Layer.provide(Layer.succeed(ConsentPageSettings, settings(publicUrl, changes))),
    Layer.provideMerge(scene),
    Layer.provide(Logger.layer([]))
  )
}
