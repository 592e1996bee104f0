import { isPlainPath, pathOf } from "@surety/core/PlainPath"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { privateHeaders } from "./PageAnswers.js"

/**
 * Matches paths exactly, including letter case and repeated or trailing slashes. A parameter longer than
 * `maxParamLength` matches no route. The longest id has 128 characters of three bytes each, which take 1,152 characters
 * when percent-encoded.
 */
export const pagesRouterConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: 1_200
} as const

/**
 * Responds with 404 if the request's path is not in canonical form. Checks the original path, including any prefix,
 * because a host's router may have decoded the path that it passes on.
 */
export const plainPathsOnly = HttpRouter.middleware((page) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ originalUrl }) =>
    isPlainPath(pathOf(originalUrl))
      ? page
      : Effect.succeed(HttpServerResponse.empty({ status: 404, headers: privateHeaders }))
  )
).layer
