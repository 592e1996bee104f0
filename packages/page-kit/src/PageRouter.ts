import { isPlainPath, pathOf } from "@surety/core/PlainPath"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { privateHeaders } from "./PageAnswers.js"

/**
 * For a router that serves only pages. A path has one spelling, and a parameter may be as long as the longest accepted
 * value. The router's default would truncate it.
 */
export const pagesRouterConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: 512
} as const

/**
 * Responds with 404 to a path in another spelling that a host's router has decoded. The prefix counts as part of the
 * path.
 */
export const plainPathsOnly = HttpRouter.middleware((page) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ originalUrl }) =>
    isPlainPath(pathOf(originalUrl))
      ? page
      : Effect.succeed(HttpServerResponse.empty({ status: 404, headers: privateHeaders }))
  )
).layer
