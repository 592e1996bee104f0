import { PersonStore } from "@surety/core/person/PersonStore"
import { RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import { Option } from "effect"
import { after, answering, editAll, faultsOf } from "../../faults/Fault.js"
import { type Mistake, ofStore } from "./Mistake.js"

const persons = faultsOf(PersonStore)
const rightsRequests = faultsOf(RightsRequestStore)

export const mistakes: ReadonlyArray<Mistake> = [
  ofStore(
    ["reads_need_grant", "asking_bounds"],
    after(persons("restrict", "forgets a restriction"), (state) => state.restrictions.clear())
  ),
  ofStore(
    "one_action_a_change",
    answering(persons("restrict", "counts every restriction as new"), (found) =>
      Option.map(found, (restricted) => ({ ...restricted, isNew: true }))
    )
  ),
  ofStore(
    "lifecycle",
    after(rightsRequests("close", "reopens what was closed"), (state) =>
      editAll(state.rightsRequests, (request) => ({ ...request, status: "OPEN" as const }))
    )
  )
]
