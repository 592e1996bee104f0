import type { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import type { Keyring } from "@surety/core/secret/Keyring"
import { Layer } from "effect"
import type { Mac } from "effect/crypto"
import * as WebhookSender from "../send/WebhookSender.js"
import * as WebhookSigner from "../send/WebhookSigner.js"
import * as PublicTargets from "../target/PublicTargets.js"
import * as Webhooks from "../Webhooks.js"
import * as NodeAddressLookup from "./NodeAddressLookup.js"
import * as PinnedHttpClient from "./PinnedHttpClient.js"
import * as UndiciHttpClient from "./UndiciHttpClient.js"

type Needs = DeliveryQueue | DeliverySignal | Keyring | Mac.Mac

/** Sends webhooks to public hosts only, on Node: for production. */
export const layer: Layer.Layer<never, never, Needs> = Webhooks.layer.pipe(
  Layer.provide([PinnedHttpClient.layer, PublicTargets.layerBeforeConnection]),
  Layer.provide(NodeAddressLookup.layer)
)

/** Signs and sends single calls to public hosts only, on Node: what `ConsentHook` needs in production. */
export const layerCalls: Layer.Layer<WebhookSender.WebhookSender | WebhookSigner.WebhookSigner, never, Mac.Mac> =
  Layer.merge(WebhookSender.layer, WebhookSigner.layer).pipe(
    Layer.provide([PinnedHttpClient.layer, PublicTargets.layerBeforeConnection]),
    Layer.provide(NodeAddressLookup.layer)
  )

/** The same to any host: for development. */
export const layerCallsDevelopment: typeof layerCalls = Layer.merge(WebhookSender.layer, WebhookSigner.layer).pipe(
  Layer.provide([UndiciHttpClient.layerDevelopment, TargetPolicy.layerDevelopment])
)

/** The policy that belongs to `layer`, for the services with which endpoints are registered. */
export const layerTargets: Layer.Layer<TargetPolicy.TargetPolicy> = PublicTargets.layer.pipe(
  Layer.provide(NodeAddressLookup.layer)
)

/**
 * Sends webhooks to any host, also on this machine and without TLS: for development. The policy that belongs to it is
 * core's `TargetPolicy.layerDevelopment`.
 */
export const layerDevelopment: Layer.Layer<never, never, Needs> = Webhooks.layer.pipe(
  Layer.provide([UndiciHttpClient.layerDevelopment, TargetPolicy.layerDevelopment])
)
