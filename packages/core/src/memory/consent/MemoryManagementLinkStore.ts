import { DateTime, Effect, Layer, Option } from "effect"
import type { ManagementLink } from "../../consent/link/ManagementLink.js"
import { ManagementLinkStore } from "../../consent/link/ManagementLinkStore.js"
import { environmentKey, MemoryState } from "../MemoryState.js"

export const keepLink = ({ managementLinks: links }: MemoryState["Service"], link: ManagementLink): void => {
  if (!links.has(link.tokenHash)) links.set(link.tokenHash, link)
}

export const layer: Layer.Layer<ManagementLinkStore, never, MemoryState> = Layer.effect(
  ManagementLinkStore,
  Effect.map(MemoryState, (state) =>
    ManagementLinkStore.of({
      keep: (link) =>
        Effect.sync(() => {
          if (!state.consumers.has(environmentKey(link.environment, link.userId))) return false
          keepLink(state, link)
          return true
        }),

      find: (tokenHash) => Effect.sync(() => Option.fromUndefinedOr(state.managementLinks.get(tokenHash))),

      forget: (expiredBefore, limit) =>
        Effect.sync(() => {
          const old = [...state.managementLinks.values()]
            .filter(({ expiresAt }) => DateTime.isLessThan(expiresAt, expiredBefore))
            .slice(0, limit)
          for (const { tokenHash } of old) state.managementLinks.delete(tokenHash)
          return old.length
        })
    })
  )
)
