import { DateTime, Effect, Layer, Option } from "effect"
import { ManagementLinkStore } from "../../consent/link/ManagementLinkStore.js"
import { MemoryState } from "../MemoryState.js"

export const layer: Layer.Layer<ManagementLinkStore, never, MemoryState> = Layer.effect(
  ManagementLinkStore,
  Effect.map(MemoryState, ({ managementLinks: links }) =>
    ManagementLinkStore.of({
      keep: (link) =>
        Effect.sync(() => {
          if (!links.has(link.tokenHash)) links.set(link.tokenHash, link)
        }),

      find: (tokenHash) => Effect.sync(() => Option.fromUndefinedOr(links.get(tokenHash))),

      forget: (expiredBefore, limit) =>
        Effect.sync(() => {
          const old = [...links.values()]
            .filter(({ expiresAt }) => DateTime.isLessThan(expiresAt, expiredBefore))
            .slice(0, limit)
          for (const { tokenHash } of old) links.delete(tokenHash)
          return old.length
        })
    })
  )
)
