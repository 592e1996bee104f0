import { DateTime, Effect, Layer } from "effect"
import { CodeChallengeStore } from "../../consent/admission/CodeChallengeStore.js"
import { MemoryState } from "../MemoryState.js"

export const layer: Layer.Layer<CodeChallengeStore, never, MemoryState> = Layer.effect(
  CodeChallengeStore,
  Effect.map(MemoryState, ({ codeChallenges: challenges }) =>
    CodeChallengeStore.of({
      change: (link, decide) =>
        Effect.sync(() => {
          const { answer, next } = decide(challenges.get(link))
          if (next !== undefined) challenges.set(link, next)
          return answer
        }),

      forget: (endedBefore, limit) =>
        Effect.sync(() => {
          const old = [...challenges]
            .filter(([, { windowEndsAt }]) => DateTime.isLessThan(windowEndsAt, endedBefore))
            .slice(0, limit)
          for (const [link] of old) challenges.delete(link)
          return old.length
        })
    })
  )
)
