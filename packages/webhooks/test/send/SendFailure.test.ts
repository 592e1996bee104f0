import { TargetNotAllowed } from "@surety/core/event/TargetPolicy"
import { describe, expect, it } from "vitest"
import { fromError, type NoAnswer } from "../../src/send/SendFailure.js"

const coded = (code: string): Error => Object.assign(new Error("It failed."), { code })
const wrapped = (cause: unknown): Error => new Error("It failed.", { cause })

describe("why no answer came", () => {
  const codes: ReadonlyArray<readonly [code: string, reason: NoAnswer]> = [
    ["ENOTFOUND", "name_not_resolved"],
    ["EAI_AGAIN", "name_not_resolved"],
    ["ECONNREFUSED", "connection_refused"],
    ["ECONNRESET", "connection_reset"],
    ["EPIPE", "connection_reset"],
    ["UND_ERR_SOCKET", "connection_reset"],
    ["EHOSTUNREACH", "host_unreachable"],
    ["ENETUNREACH", "host_unreachable"],
    ["ETIMEDOUT", "timeout"],
    ["UND_ERR_CONNECT_TIMEOUT", "timeout"],
    ["CERT_HAS_EXPIRED", "tls_failed"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "tls_failed"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "tls_failed"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls_failed"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "tls_failed"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "tls_failed"],
    ["HPE_INVALID_CONSTANT", "invalid_answer"],
    ["UND_ERR_HEADERS_OVERFLOW", "invalid_answer"],
    ["ESOMETHING", "failed"]
  ]

  it.each(codes)("%s is %s", (code, reason) => expect(fromError(coded(code))).toBe(reason))

  it("is found in what caused the error", () =>
    expect(fromError(wrapped(wrapped(coded("ENOTFOUND"))))).toBe("name_not_resolved"))

  it("is the first address's where a host has several", () =>
    expect(fromError(wrapped(new AggregateError([coded("ECONNREFUSED"), coded("ENETUNREACH")])))).toBe(
      "connection_refused"
    ))

  it("is the target policy's refusal, also when it comes at connection", () =>
    expect(fromError(wrapped(new TargetNotAllowed({ code: "url_private", detail: "No." })))).toBe("target_not_allowed"))

  it("is that refusal with the class of the address, where it was an address that was refused", () => {
    const refusal = new TargetNotAllowed({ code: "url_address_not_public", detail: "No.", addressClass: "loopback" })
    expect(fromError(wrapped(refusal))).toBe("target_not_allowed:loopback")
  })

  it.each([undefined, null, "text", 7, {}, { code: 7 }])("of %j is not known", (error) =>
    expect(fromError(error)).toBe("failed")
  )

  it("is not sought for ever", () => {
    const circular: { cause?: unknown } = {}
    circular.cause = circular
    expect(fromError(circular)).toBe("failed")
  })
})
