import type { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { PlatformFeed } from "@surety/core/event/PlatformFeed"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import type { Keyring } from "@surety/core/secret/Keyring"
import { Layer } from "effect"
import type { Mac } from "effect/crypto"
import * as PlatformEvents from "../platform/PlatformEvents.js"
import type { PlatformTarget } from "../platform/PlatformSender.js"
import { platformCallTimeout } from "../platform/PlatformSettings.js"
import * as WebhookSender from "../send/WebhookSender.js"
import * as WebhookSigner from "../send/WebhookSigner.js"
import * as PublicTargets from "../target/PublicTargets.js"
import { defaultWebhookSettings, WebhookSettings } from "../WebhookSettings.js"
import * as Webhooks from "../Webhooks.js"
import * as NodeAddressLookup from "./NodeAddressLookup.js"
import * as NodeHooks from "./NodeHooks.js"
import * as PinnedHttpClient from "./PinnedHttpClient.js"
import * as UndiciHttpClient from "./UndiciHttpClient.js"

type Needs = DeliveryQueue | DeliverySignal | Keyring | Mac.Mac

/** Sends webhooks on Node for production, to public hosts only. */
export const layer: Layer.Layer<never, never, Needs> = Webhooks.layer.pipe(
  Layer.provide([PinnedHttpClient.layer, PublicTargets.layerBeforeConnection]),
  Layer.provide(NodeAddressLookup.layer)
)

/** Fresh, because a shared layer is built only once, and merchants' webhooks use another HTTP client. */
const ownSender = Layer.fresh(WebhookSender.layer)

type Sender = Layer.Layer<WebhookSender.WebhookSender | WebhookSigner.WebhookSigner, never, Mac.Mac>

/**
 * Provides the sender and signer of platform events on Node, for production. Sends to public hosts and to hosts that
 * the operator has `named`.
 */
export const layerSender = (named: ReadonlyArray<string>): Sender =>
  Layer.merge(ownSender, WebhookSigner.layer).pipe(Layer.provide(NodeHooks.roads(named)))

/** Like `layerSender`, but for development: sends to any host. */
export const layerSenderDevelopment: Sender = Layer.merge(ownSender, WebhookSigner.layer).pipe(
  Layer.provide([UndiciHttpClient.layerDevelopment, TargetPolicy.layerDevelopment])
)

const callSettings = Layer.succeed(WebhookSettings, { ...defaultWebhookSettings, attemptTimeout: platformCallTimeout })

/** Sends platform events on Node for production. The host must be public or `named` by the operator. */
export const layerPlatform = (
  target: PlatformTarget,
  named: ReadonlyArray<string> = []
): Layer.Layer<never, never, PlatformFeed | Mac.Mac> =>
  PlatformEvents.layer(target).pipe(Layer.provide(Layer.provide(layerSender(named), callSettings)))

/**
 * Like `layerPlatform`, but for development: sends to any host, even to this machine or over plain HTTP. Ignores
 * `named`.
 */
export const layerPlatformDevelopment: typeof layerPlatform = (target) =>
  PlatformEvents.layer(target).pipe(Layer.provide(Layer.provide(layerSenderDevelopment, callSettings)))

/** Provides the target policy that matches `layer`, for the services that register endpoints. */
export const layerTargets: Layer.Layer<TargetPolicy.TargetPolicy> = NodeAddressLookup.layerTargets

/**
 * For development: sends webhooks to any host, even to this machine or over plain HTTP. The services that register
 * endpoints then need core's `TargetPolicy.layerDevelopment`.
 */
export const layerDevelopment: Layer.Layer<never, never, Needs> = Webhooks.layer.pipe(
  Layer.provide([UndiciHttpClient.layerDevelopment, TargetPolicy.layerDevelopment])
)
