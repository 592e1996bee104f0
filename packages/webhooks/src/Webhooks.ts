import type { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { TargetPolicy } from "@surety/core/event/TargetPolicy"
import type { Keyring } from "@surety/core/secret/Keyring"
import { Layer } from "effect"
import type { Mac } from "effect/crypto"
import type { HttpClient } from "effect/http"
import * as WebhookDispatcher from "./delivery/WebhookDispatcher.js"
import * as WebhookSender from "./send/WebhookSender.js"
import * as WebhookSigner from "./send/WebhookSigner.js"

/**
 * All that sends webhooks: the dispatcher with signer and sender. `WebhookSettings` says how, and has defaults.
 *
 * Any `HttpClient` will do that leaves redirects to its caller. On Node, undici's keeps connections and can pin the
 * address that it connects to; an `HttpClient` of the webhooks' own keeps their connections apart from other traffic.
 */
export const layer: Layer.Layer<
  never,
  never,
  DeliveryQueue | DeliverySignal | Keyring | TargetPolicy | HttpClient.HttpClient | Mac.Mac
> = WebhookDispatcher.layer.pipe(Layer.provide([WebhookSender.layer, WebhookSigner.layer]))
