import { assert, describe, it } from "@effect/vitest"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { Effect, Result } from "effect"

const codeOf = (url: string) =>
  Effect.gen(function* () {
    const checked = yield* Effect.result((yield* TargetPolicy.TargetPolicy).check(url))
    return Result.isFailure(checked) ? checked.failure.code : "allowed"
  }).pipe(Effect.provide(TargetPolicy.layerDevelopment))

describe("the development profile's targets", () => {
  it.effect.each([
    ["http://localhost:4000/hooks", "allowed"],
    ["http://127.0.0.1/", "allowed"],
    ["https://shop.example:8443/hooks?x=1", "allowed"],
    ["https://user@shop.example/", "url_credentials"],
    ["https://:secret@shop.example/", "url_credentials"],
    ["https://user:secret@shop.example/", "url_credentials"],
    ["ftp://shop.example/", "url_invalid"],
    ["file:///etc/passwd", "url_invalid"],
    ["javascript:alert(1)", "url_invalid"],
    ["shop.example/hooks", "url_invalid"],
    ["/hooks", "url_invalid"],
    ["", "url_invalid"]
  ] as const)("%s", ([url, code]) => Effect.map(codeOf(url), (found) => assert.strictEqual(found, code)))
})
