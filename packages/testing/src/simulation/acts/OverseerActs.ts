import { Audits } from "@surety/core/ledger/Audits"
import { PersonLog } from "@surety/core/person/PersonLog"
import { Search } from "@surety/core/search/Search"
import { Effect, Predicate, Redacted } from "effect"
import { looks } from "./looks.js"
import { isBroken } from "./ReadActs.js"
import { type Act, callAs, nameOfScope, personOf, type Scene, scopeOf } from "./Scene.js"

const page = { limit: 5, cursor: undefined }

/**
 * Performs one of the reads in `looks` for one scope. No item of a returned list may belong to the other environment.
 */
export const oversee = (scene: Scene, act: Act): void => lookAt(scene, act, act.draw.pick(looks))

export const oversights: ReadonlyArray<(scene: Scene, act: Act) => void> = looks.map(
  (look) => (scene: Scene, act: Act) => lookAt(scene, act, look)
)

const lookAt = (scene: Scene, act: Act, [name, look]: (typeof looks)[number]): void => {
  const { world } = scene
  const scope = scopeOf(scene, act.draw)
  const call = look(scope, scene, act.draw)
  if (call === undefined) return
  callAs(scene, {
    act,
    does: `oversees ${name}, as ${nameOfScope(scene, scope)}`,
    call,
    repeats: 1,
    onSuccess: (answer: unknown) => {
      for (const record of Array.isArray(answer) ? answer : []) {
        if (!Predicate.hasProperty(record, "environment")) continue
        world.require(
          record.environment === scope.environment,
          "own_records_only",
          () => `${name} of ${scope.environment} show a record of the other environment`
        )
      }
    }
  })
}

export const search = (scene: Scene, act: Act): void => {
  const { draw } = act
  const scope = scopeOf(scene, draw)
  const { displayName, environment, serviceId } = personOf(scene, scope, draw)
  const isById = draw.chance(0.4)
  const query = isById
    ? Redacted.make(String(scope.merchantId))
    : draw.chance(0.5)
      ? (displayName ?? Redacted.make(String(serviceId)))
      : Redacted.make(String(serviceId))
  callAs(scene, {
    act,
    does: "searches for a record",
    call: Effect.flatMap(Search, (index) => index.find(environment, query)),
    repeats: 1
  })
}

export const reportBreach = (scene: Scene, act: Act): void => {
  const { environment } = scopeOf(scene, act.draw)
  const since = scene.world.startedAt
  callAs(scene, {
    act,
    does: "reports whose values were read",
    call: Effect.flatMap(PersonLog, (log) =>
      log.reads({ environment, since, until: undefined, merchantId: undefined, apiKeyId: undefined }, page)
    ),
    repeats: 1
  })
}

/**
 * The operator audits everything and reads the last stored run. Half of the audits are `full`, so they also repeat the
 * steps that earlier audits completed.
 */
export const auditAll = (scene: Scene, act: Act): void => {
  const { world } = scene
  const call = Effect.gen(function* () {
    const audits = yield* Audits
    const { chains, faults, lines } = yield* audits.run("ada", { full: act.draw.chance(0.5) })
    yield* audits.last
    return { chains, faults, lines }
  })
  callAs(scene, {
    act,
    does: "audits everything",
    call,
    repeats: 1,
    onSuccess: ({ chains, faults, lines }) => {
      const isBalanced = lines.every(({ creditsMinor, debitsMinor }) => creditsMinor === debitsMinor)
      world.require(isBalanced && faults.length === 0, "books_balance", () => `the audit finds ${faults[0]?.check}`)
      const broken = chains.find(({ report }) => isBroken(report))
      world.require(broken === undefined, "chains_unbroken", () => "the audit finds a broken chain")
    }
  })
}
