import { assert, it } from "@effect/vitest"
import * as MemoryState from "@surety/core/memory/MemoryState"
import * as MemoryRequestStore from "@surety/core/memory/request/MemoryRequestStore"
import * as Fresh from "@surety/testing/FreshIds"
import { Effect } from "effect"

it.effect("two stores over one state log the requests of both", () =>
  Effect.gen(function* () {
    const state = MemoryState.make()
    const at = yield* Fresh.now
    const scope = { merchantId: Fresh.merchantId(at), environment: "TEST" as const }
    const [one, other] = [MemoryRequestStore.make(state), MemoryRequestStore.make(state)]
    const request = { ...scope, apiKeyId: Fresh.apiKeyId(at), keyLast4: "Kn4R", method: "GET", route: "/v1/whoami", at }
    yield* one.append([{ ...request, status: 200, requestId: "one" }])
    yield* other.append([{ ...request, status: 200, requestId: "other" }])
    const filter = { status: undefined, route: undefined }
    const { data } = yield* one.list(scope, filter, { limit: 5, cursor: undefined })
    assert.deepStrictEqual(
      data.map(({ requestId }) => requestId),
      ["other", "one"]
    )
  })
)
