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
 * Layer that runs the complete sender: dispatcher, signer and `WebhookSender`. Uses the default `WebhookSettings` if
 * none are provided.
 *
 * Works with any `HttpClient` that does not follow redirects. On Node, `PinnedHttpClient` reuses connections and
 * connects only to addresses that it has checked. Give webhooks their own `HttpClient` to keep their connections apart
 * from other traffic.
 */
export const layer: Layer.Layer<
  never,
  never,
  DeliveryQueue | DeliverySignal | Keyring | TargetPolicy | HttpClient.HttpClient | Mac.Mac
> = WebhookDispatcher.layer.pipe(Layer.provide([WebhookSender.layer, WebhookSigner.layer]))
