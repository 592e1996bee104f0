import { assert, describe, it } from "@effect/vitest"
import { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import { GrantNotFound } from "@surety/core/consent/ConsentError"
import { Grants } from "@surety/core/consent/grant/Grants"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import { ManagementLinks } from "@surety/core/consent/link/ManagementLinks"
import * as PersonConsents from "@surety/core/consent/link/PersonConsents"
import * as ConsumerDirectory from "@surety/core/consumer/ConsumerDirectory"
import type { GrantId } from "@surety/core/Ids"
import type { PageRequest } from "@surety/core/Page"
import { Effect, Layer } from "effect"
import * as Sample from "../ConsentSamples.js"
import * as ConsentSandbox from "../ConsentSandbox.js"

const manager = {
  environment: "TEST",
  userId: Sample.userId,
  serviceId: Sample.serviceId,
  expiresAt: Sample.day(7)
} as const

/** Scripts two pages of a person's grants. On revocation, the second grant is gone and the last has just ended. */
const scripted = () => {
  const pages: Array<PageRequest> = []
  const revoked: Array<GrantId> = []
  const gone = Sample.grantId(2)
  const endedMeanwhile = Sample.grantId(6)
  const first = [Sample.grant(), Sample.grant({ id: gone }), Sample.grant({ id: Sample.grantId(3), status: "REVOKED" })]
  const second = [
    Sample.grant({ id: Sample.grantId(4) }),
    Sample.grant({ id: Sample.grantId(5), status: "EXPIRED" }),
    Sample.grant({ id: endedMeanwhile })
  ]
  const grants = Layer.mock(Grants)({
    list: (_listing, _filter, page) => {
      pages.push(page)
      return Effect.succeed(
        page.cursor === undefined ? { data: first, nextCursor: "second" } : { data: second, nextCursor: undefined }
      )
    },
    revokeOnce: ({ id }) => {
      if (id === gone) return Effect.fail(new GrantNotFound({ grantId: id }))
      revoked.push(id)
      return Effect.succeed({ grant: Sample.grant({ id, status: "REVOKED" }), isNew: id !== endedMeanwhile })
    }
  })
  const person = PersonConsents.layer.pipe(
    Layer.provide([grants, ConsumerDirectory.layer, ConsentUrls.layer("https://consent.example")]),
    Layer.provideMerge(ConsentSandbox.layer)
  )
  return { pages, revoked, person }
}

describe("Taking back every consent", () => {
  it.effect(
    "goes over all pages, a hundred at a time, revokes what is in force, and counts what this call ended",
    () => {
      const { pages, person, revoked } = scripted()
      return Effect.gen(function* () {
        const { revokeAll } = yield* PersonConsents.PersonConsents
        assert.strictEqual(yield* revokeAll(manager, { version: "1", language: "en" }), 2)
        assert.deepStrictEqual(revoked, [Sample.grantId(1), Sample.grantId(4), Sample.grantId(6)])
        assert.deepStrictEqual(pages, [
          { limit: 100, cursor: undefined },
          { limit: 100, cursor: "second" }
        ])
      }).pipe(Effect.provide(person))
    }
  )
})

describe("The sweep of links and codes", () => {
  it.effect("counts what it forgot of both", () => {
    const stores = Layer.mergeAll(
      Layer.mock(ManagementLinks)({ forget: () => Effect.succeed(3) }),
      Layer.mock(CodeChallengeStore)({ forget: () => Effect.succeed(2) })
    )
    const person = PersonConsents.layer.pipe(
      Layer.provide([stores, ConsumerDirectory.layer]),
      Layer.provideMerge(ConsentSandbox.layer)
    )
    return Effect.gen(function* () {
      assert.strictEqual(yield* (yield* PersonConsents.PersonConsents).sweep, 5)
    }).pipe(Effect.provide(person))
  })
})
