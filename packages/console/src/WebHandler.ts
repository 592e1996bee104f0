import * as PageHandler from "@surety/page-kit/WebHandler"
import { Layer } from "effect"
import * as Console from "./Console.js"

/**
 * The console over `services` as a function from `Request` to `Response`, built immediately. Requests are not logged.
 *
 * @example
 * const { handle } = WebHandler.make(Layer.merge(settings, services))
 * // Below the base path of the settings; every other path is 404.
 * const response = await handle(new Request("https://pay.example/console"))
 */
export const make = <E>(services: Layer.Layer<Console.Needs, E>): PageHandler.WebHandler =>
  PageHandler.make(Layer.provide(Console.layer, services))
