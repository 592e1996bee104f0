import type { Invariant } from "@surety/testing/simulation/invariants/Invariant"
import type { Subject } from "@surety/testing/simulation/Repertoire"
import type { SimulatedParts } from "@surety/testing/simulation/world/Cluster"
import { Layer } from "effect"
import type { Broken } from "../../faults/Fault.js"

/** A plausible mistake of a programmer, and the invariants, one of which must be violated first. */
export interface Mistake {
  readonly how: string
  readonly violates: ReadonlyArray<Invariant>
  readonly parts: SimulatedParts
  /** The subjects of the stories that find it. */
  readonly about?: Subject
}

/** A store that is wrong in one way. */
export const ofStore = (
  violates: Invariant | ReadonlyArray<Invariant>,
  { how, over }: Broken,
  about?: Subject
): Mistake => ({
  ...(about === undefined ? {} : { about }),
  how,
  violates: [violates].flat(),
  parts: { stores: (sound) => Layer.provideMerge(over, sound) }
})

/** Longer than any story. */
export const years = { years: 100 } as const
