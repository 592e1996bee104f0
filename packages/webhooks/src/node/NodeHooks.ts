import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { Context, Effect, Layer } from "effect"
import type { Mac } from "effect/crypto"
import { HttpClient } from "effect/http"
import * as HookCaller from "../hook/HookCaller.js"
import * as WebhookSigner from "../send/WebhookSigner.js"
import * as PublicTargets from "../target/PublicTargets.js"
import { isNamed } from "../target/TargetUrl.js"
import * as NodeAddressLookup from "./NodeAddressLookup.js"
import * as PinnedHttpClient from "./PinnedHttpClient.js"
import * as UndiciHttpClient from "./UndiciHttpClient.js"

type Road = HttpClient.HttpClient | TargetPolicy.TargetPolicy

/** A client and a target policy for public hosts only, as for webhooks. */
const publicRoad: Layer.Layer<Road> = Layer.merge(PinnedHttpClient.layer, PublicTargets.layerBeforeConnection).pipe(
  Layer.provide(NodeAddressLookup.layer)
)

/** A client and a target policy for any host, even over plain HTTP. Names are resolved as usual on this machine. */
const anyRoad: Layer.Layer<Road> = Layer.merge(UndiciHttpClient.layerDevelopment, TargetPolicy.layerDevelopment)

/**
 * Provides a client and a target policy whose rules depend on a url's host. `named` hosts may have any address and
 * may use HTTP. All others must be public and use HTTPS.
 */
export const roads = (named: ReadonlyArray<string>): Layer.Layer<Road> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const open = yield* Layer.build(publicRoad)
      const any = yield* Layer.build(anyRoad)
      const roadOf = (url: string) => (isNamed(url, named) ? any : open)
      return Context.make(TargetPolicy.TargetPolicy, {
        check: (url: string) => Context.get(roadOf(url), TargetPolicy.TargetPolicy).check(url)
      }).pipe(
        Context.add(
          HttpClient.HttpClient,
          HttpClient.make((request, url) => Context.get(roadOf(url.href), HttpClient.HttpClient).execute(request))
        )
      )
    })
  )

const callerOver = (road: Layer.Layer<Road>): Layer.Layer<HookCaller.HookCaller, never, Mac.Mac> =>
  HookCaller.layer.pipe(Layer.provide([road, WebhookSigner.layer]))

/**
 * Provides `HookCaller` on Node, for production. It calls public hosts over HTTPS, as for webhooks. Hosts that the
 * operator has `named` may have any address, and may use HTTP.
 */
export const layer = (named: ReadonlyArray<string>): Layer.Layer<HookCaller.HookCaller, never, Mac.Mac> =>
  callerOver(roads(named))

/** Provides `HookCaller` for any host, for development. */
export const layerDevelopment: Layer.Layer<HookCaller.HookCaller, never, Mac.Mac> = callerOver(anyRoad)
