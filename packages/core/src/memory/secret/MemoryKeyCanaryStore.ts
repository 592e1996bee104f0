import { DateTime, Effect, Layer } from "effect"
import { KeyCanaryStore } from "../../secret/KeyCanaryStore.js"
import { MemoryState } from "../MemoryState.js"

export const layer: Layer.Layer<KeyCanaryStore, never, MemoryState> = Layer.effect(
  KeyCanaryStore,
  Effect.map(MemoryState, ({ dataRequests, endpoints, keyCanaries }) => {
    const sealedUnder = (now: DateTime.Utc): ReadonlyArray<string> => {
      const secrets = [...endpoints.values()].flatMap((endpoint) => endpoint.secrets)
      const inUse = secrets.filter(({ expiresAt }) => expiresAt === undefined || DateTime.isGreaterThan(expiresAt, now))
      const links = [...dataRequests.values()].flatMap(({ link }) => (link === undefined ? [] : [link.sealedUrl]))
      return [...new Set([...inUse.map(({ sealed }) => sealed), ...links].map(({ keyId }) => keyId))]
    }
    return KeyCanaryStore.of({
      admit: (now, decide) =>
        Effect.sync(() => {
          const { answer, canary } = decide({
            canaries: [...keyCanaries.values()],
            sealedUnder: sealedUnder(now),
            lostIds: []
          })
          if (canary !== undefined) keyCanaries.set(canary.keyId, canary)
          return answer
        })
    })
  })
)
