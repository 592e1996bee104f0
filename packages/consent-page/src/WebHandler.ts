import * as PageHandler from "@surety/page-kit/WebHandler"
import { Layer } from "effect"
import * as ConsentPage from "./ConsentPage.js"

/**
 * Builds the page over `services`, as a handler from `Request` to `Response`. Requests are neither logged nor traced,
 * but the services still log and create spans. Once the server accepts no more requests, call `dispose` to close the
 * services.
 *
 * @example
 * const { handle } = WebHandler.make(Layer.merge(settings, services))
 * const response = await handle(new Request("https://pay.example/consent/…"))
 */
export const make = <E>(services: Layer.Layer<ConsentPage.Needs, E>): PageHandler.WebHandler =>
  PageHandler.make(Layer.provideMerge(ConsentPage.layer, services))
