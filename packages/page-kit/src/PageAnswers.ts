import { HttpServerResponse } from "effect/http"
import { privateHeaders } from "./privateHeaders.js"

/** A page, with its privacy headers. */
export const pageAnswer = (
  text: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text, {
    status,
    contentType: "text/html; charset=utf-8",
    headers: { ...privateHeaders, ...headers }
  })

/** Redirects after a form, so that reloading the page sends nothing again. */
export const seeOther = (href: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({ status: 303, headers: { ...privateHeaders, location: href } })
