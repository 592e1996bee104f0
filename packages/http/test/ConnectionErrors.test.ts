import { connectionAnswer } from "@surety/http/ConnectionErrors"
import { describe, expect, it } from "vitest"
import { document, schemaFaults } from "./Contract.js"

const settings = {
  publicUrl: "https://pay.example",
  basePath: "",
  provisioning: "open",
  operatorToken: undefined,
  docs: true
} as const

describe("a connection whose bytes never became a request", () => {
  it.each([
    ["HPE_HEADER_OVERFLOW", "431 Request Header Fields Too Large", "headers_too_large"],
    ["ERR_HTTP_REQUEST_TIMEOUT", "408 Request Timeout", "request_timeout"],
    ["HPE_CHUNK_EXTENSIONS_OVERFLOW", "413 Content Too Large", "body_too_large"],
    ["HPE_INVALID_METHOD", "400 Bad Request", "malformed_request"],
    [undefined, "400 Bad Request", "malformed_request"]
  ])("is answered with a problem: %s", (errorCode, status, code) => {
    const [head = "", body = ""] = connectionAnswer(errorCode, settings).split("\r\n\r\n")
    const [line, ...headers] = head.split("\r\n")
    expect(line).toBe(`HTTP/1.1 ${status}`)
    expect(headers).toContain(`Content-Length: ${new TextEncoder().encode(body).length}`)
    expect(headers).toContain("Connection: close")
    expect(headers).toContain("X-Content-Type-Options: nosniff")
    expect(headers).toContain("Content-Type: application/problem+json")
    const told = JSON.parse(body)
    expect(told).toMatchObject({ code, type: `https://pay.example/docs/errors#${code}` })
    expect(headers).toContain(`X-Request-Id: ${told.requestId}`)
    expect(schemaFaults(document.components.schemas.Problem, told)).toEqual([])
  })
})
