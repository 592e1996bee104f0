import { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import * as Codes from "@surety/testing/consent/CodeChallengeStoreLaws"
import * as Person from "@surety/testing/consent/ConsentPersonLaws"
import * as Links from "@surety/testing/consent/ManagementLinkStoreLaws"
import { DateTime, Effect, Option } from "effect"
import { type Broken, broken, lookThenAct } from "./Broken.js"

const records: ReadonlyArray<Broken> = [
  broken(
    ConsentLog,
    "lists a person's receipts at one merchant where all are asked for",
    (sound) => ({
      listPersonReceipts: (listing, userId, page) =>
        Effect.gen(function* () {
          const all = yield* sound.listPersonReceipts(listing, userId, page)
          const [first] = all.data
          return { ...all, data: all.data.filter(({ merchantId }) => merchantId === first?.merchantId) }
        })
    }),
    [Person.listsPersonReceipts]
  ),
  broken(
    ConsentLog,
    "finds anybody's receipt",
    (_, state) => ({
      findPersonReceipt: (_listing, _userId, id) => Effect.sync(() => Option.fromUndefinedOr(state.receipts.get(id)))
    }),
    [Person.findsPersonReceipt]
  ),
  broken(
    ConsentLog,
    "takes every denial for a sign of fraud",
    (sound) => ({
      listDisowned: (environment, page) =>
        sound.listRequests({ merchantId: undefined, environment }, { userId: undefined }, page)
    }),
    [Person.listsDisowned]
  )
]

const links: ReadonlyArray<Broken> = [
  broken(
    ManagementLinkStore,
    "keeps the last link of a token",
    (_, state) => ({ keep: (link) => Effect.sync(() => void state.managementLinks.set(link.tokenHash, link)) }),
    [Links.keepsLinks, Links.keepsOne]
  ),
  broken(
    ManagementLinkStore,
    "forgets links that still lead somewhere",
    (sound) => ({ forget: (_, limit) => sound.forget(DateTime.makeUnsafe(8_640_000_000_000_000), limit) }),
    [Links.forgetsLinks]
  )
]

const codes: ReadonlyArray<Broken> = [
  broken(
    CodeChallengeStore,
    "looks at a challenge before, not when it changes it",
    (_, state) => ({
      change: (link, decide) =>
        lookThenAct(
          () => decide(state.codeChallenges.get(link)),
          ({ answer, next }) =>
            Effect.sync(() => {
              if (next !== undefined) state.codeChallenges.set(link, next)
              return answer
            })
        )
    }),
    [Codes.countsTries, Codes.countsSends, Codes.oneIsRight]
  ),
  broken(
    CodeChallengeStore,
    "forgets a challenge that is only read",
    (_, state) => ({
      change: (link, decide) =>
        Effect.sync(() => {
          const { answer, next } = decide(state.codeChallenges.get(link))
          state.codeChallenges.delete(link)
          if (next !== undefined) state.codeChallenges.set(link, next)
          return answer
        })
    }),
    [Codes.keepsChallenges]
  ),
  broken(
    CodeChallengeStore,
    "forgets all that there is",
    (_, state) => ({
      forget: () =>
        Effect.sync(() => {
          const { size } = state.codeChallenges
          state.codeChallenges.clear()
          return size
        })
    }),
    [Codes.forgetsChallenges]
  )
]

export const brokenStores: ReadonlyArray<Broken> = [...records, ...links, ...codes]
