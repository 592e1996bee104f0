import { HttpServerResponse } from "effect/http"

/**
 * Content security policy in `privateHeaders`. It allows no scripts and no embedding in frames. Styles, images and form
 * targets are limited to the page's own origin.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'"
].join("; ")

/** Headers for responses that may reveal something about a person or a merchant. */
export const privateHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": contentSecurityPolicy,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-robots-tag": "noindex, nofollow",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()"
}

/** Builds an HTML response. `headers` override `privateHeaders`. */
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

/** Builds a 303 redirect with `privateHeaders`. After a form submission, a reload does not resubmit the form. */
export const seeOther = (href: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({ status: 303, headers: { ...privateHeaders, location: href } })
