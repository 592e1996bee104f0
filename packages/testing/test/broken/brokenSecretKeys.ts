import { KeyCanaryStore } from "@surety/core/secret/KeyCanaryStore"
import * as Laws from "@surety/testing/secret/KeyCanaryStoreLaws"
import { Effect } from "effect"
import { type Broken, broken, lookThenAct } from "./Broken.js"

export const brokenStores: ReadonlyArray<Broken> = [
  broken(
    KeyCanaryStore,
    "keeps no canary",
    (sound) => ({ admit: (now, decide) => sound.admit(now, (known) => ({ ...decide(known), canary: undefined })) }),
    [Laws.keepsCanaries, Laws.admitsInTurn]
  ),
  broken(
    KeyCanaryStore,
    "decides on what was known a moment ago",
    (sound, state) => ({
      admit: (now, decide) =>
        lookThenAct(
          () => [...state.keyCanaries.values()],
          (canaries) => sound.admit(now, (known) => decide({ ...known, canaries }))
        )
    }),
    [Laws.admitsInTurn]
  ),
  broken(
    KeyCanaryStore,
    "knows nothing of consent links",
    (sound, state) => ({
      admit: (now, decide) =>
        Effect.suspend(() => {
          const secrets = [...state.endpoints.values()].flatMap((endpoint) => endpoint.secrets)
          const sealedUnder = secrets.map(({ sealed }) => sealed.keyId)
          return sound.admit(now, (known) => decide({ ...known, sealedUnder }))
        })
    }),
    [Laws.namesSealingKeys, Laws.forgetsEndedSecrets]
  )
]
