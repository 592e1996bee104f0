import { assert, it } from "@effect/vitest"
import type * as CellStores from "@surety/cells/CellStores"
import { routing } from "@surety/cells/routing"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import { storePorts } from "@surety/core/StorePorts"
import { type Context, Effect, Layer } from "effect"
import { twoSchemas } from "./TestCells.js"

/** Ports that `CellStores.layer` lacks. A host that composes Surety over it does not compile until there are none. */
type Unrouted =
  | "@surety/core/operator/OperatorActionStore"
  | "@surety/core/ledger/OperatorTransferStore"
  | "@surety/core/operator/approval/ProposalStore"
  | "@surety/core/host/HostRequestStore"

type Lacking = Exclude<(typeof storePorts)[number], { readonly Identifier: CellStores.RoutedPorts }>["key"]

type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

const lacksExactly: Equal<Lacking, Unrouted> = true

it("lacks the ports that the table calls unrouted, and no other", () => {
  assert.isTrue(lacksExactly)
  const unrouted = Object.entries(routing).filter(([, verbs]) => Object.values(verbs).includes("unrouted"))
  for (const [, verbs] of unrouted) {
    assert.isTrue(
      Object.values(verbs).every((route) => route === "unrouted"),
      "a port is routed as a whole, or not at all"
    )
  }
  const names: Array<Unrouted> = [
    "@surety/core/operator/OperatorActionStore",
    "@surety/core/ledger/OperatorTransferStore",
    "@surety/core/operator/approval/ProposalStore",
    "@surety/core/host/HostRequestStore"
  ]
  assert.sameMembers(
    unrouted.map(([key]) => key),
    names
  )
})

it.layer(twoSchemas, { timeout: 60_000, excludeTestServices: true })("the stores over cells", (it) => {
  it.effect("have a service for every routed port", () =>
    Effect.gen(function* () {
      const context: Context.Context<never> = yield* Effect.context<never>()
      for (const port of storePorts) {
        const routes: ReadonlyArray<string> = Object.values(routing[port.key])
        assert.strictEqual(context.mapUnsafe.has(port.key), !routes.includes("unrouted"), port.key)
      }
    })
  )
  it.effect("take as many arguments as the stores in memory: one that may be omitted would be dropped silently", () =>
    Effect.gen(function* () {
      const overCells: Context.Context<never> = yield* Effect.context<never>()
      const inMemory: Context.Context<never> = yield* Layer.build(MemoryStores.layer)
      const dropping = storePorts.flatMap(({ key }) => {
        const routed = Object(overCells.mapUnsafe.get(key))
        const whole = Object(inMemory.mapUnsafe.get(key))
        return Object.keys(routed)
          .filter((verb) => typeof routed[verb] === "function" && routed[verb].length < whole[verb].length)
          .map((verb) => `${key}.${verb}`)
      })
      assert.deepStrictEqual(dropping, [])
    })
  )
})
