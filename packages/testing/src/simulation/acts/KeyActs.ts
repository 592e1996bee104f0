import { ApiKeys, type IssuedApiKey } from "@surety/core/merchant/ApiKeys"
import { DateTime, Duration, Effect } from "effect"
import { type Act, callAs, type Scene, scopeOf } from "./Scene.js"

/** A merchant creates an API key, which may expire, for use in later acts. */
export const issueKey = (scene: Scene, act: Act): void => {
  const { keys, world } = scene
  const { environment, merchantId } = scopeOf(scene, act.draw)
  const [lifetime, text] = act.draw.pick([
    [undefined, ""],
    [{ seconds: 3 }, " for 3 seconds"],
    [{ hours: 1 }, " for an hour"]
  ] as const)
  callAs(scene, {
    act,
    does: `makes a key of ${world.nameOf(merchantId)}${text}`,
    call: Effect.gen(function* () {
      const options = lifetime === undefined ? {} : { expiresAt: DateTime.add(yield* DateTime.now, lifetime) }
      return yield* (yield* ApiKeys).issue(merchantId, environment, options)
    }),
    repeats: 0,
    onSuccess: keys.issued
  })
}

/** Picks one of the newest keys, or more often one of the newest that are revoked or have an expiry. */
const pickKey = ({ keys, world }: Scene, { draw }: Act): IssuedApiKey | undefined => {
  const known = keys.known()
  const over = known.filter(({ key }) => {
    const stored = world.state.apiKeys.get(key.hash)
    return stored?.revokedAt !== undefined || stored?.expiresAt !== undefined
  })
  if (known.length === 0) return undefined
  return draw.pick(over.length > 0 && draw.chance(0.6) ? over.slice(-2) : known.slice(-3))
}

/** A merchant sends a request with a key that may have ended. */
export const useKey = (scene: Scene, act: Act): void => {
  const { keys, world } = scene
  const picked = pickKey(scene, act)
  if (picked === undefined) {
    issueKey(scene, act)
    return
  }
  const { key, secret } = picked
  const call = Effect.flatMap(ApiKeys, (all) => all.authenticate(secret))
  callAs(scene, {
    act,
    does: `calls with ${world.nameOf(key.id)}`,
    call,
    repeats: 1,
    onSuccess: (principal, sentAtMillis) => keys.opened(principal, key, sentAtMillis),
    onRefusal: ({ _tag }) => {
      if (_tag === "InvalidApiKey") keys.refused(key)
    }
  })
}

/** A merchant revokes a key, or replaces it, either immediately or with an overlap during which both keys work. */
export const endKey = (scene: Scene, act: Act): void => {
  const { keys, world } = scene
  const picked = pickKey(scene, act)
  if (picked === undefined) {
    issueKey(scene, act)
    return
  }
  const { id, merchantId } = picked.key
  const overlap = act.draw.pick([undefined, undefined, Duration.zero, Duration.seconds(3), Duration.hours(1)])
  const call = Effect.flatMap(
    ApiKeys,
    (all): Effect.Effect<IssuedApiKey | undefined, unknown> =>
      overlap === undefined ? Effect.as(all.revoke(merchantId, id), undefined) : all.rotate(merchantId, id, { overlap })
  )
  callAs(scene, {
    act,
    does: `${overlap === undefined ? "takes back" : "replaces"} ${world.nameOf(id)}`,
    call,
    repeats: 1,
    onSuccess: (next) => {
      keys.ended(id)
      if (next !== undefined) keys.issued(next)
    }
  })
}
