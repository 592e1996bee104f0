import { type Calls, unwrap } from "@surety/embed"
import { assert, describe, it } from "vitest"
import { makeSale, makeSurety } from "../Shop.js"
import { walk } from "./Walk.js"

interface Page {
  readonly data: ReadonlyArray<unknown>
  readonly nextCursor?: string
}

interface Paging {
  readonly limit?: number
  readonly cursor?: string
}

interface Of {
  readonly merchantId: string
  readonly environment: "TEST"
  readonly accountId: string
}

type Listing = (paging: Paging) => Promise<{ readonly ok: boolean; readonly value?: Page; readonly error?: unknown }>

/** Returns the facade's paged calls by name. The last test of this file fails if one is missing. */
const listsOf = (surety: Calls, { accountId, ...of }: Of): Readonly<Record<string, Listing>> => {
  const { environment } = of
  return {
    "merchants.list": (paging) => surety.merchants.list(paging),
    "consumers.list": (paging) => surety.consumers.list({ environment, ...paging }),
    "consumers.listLinked": (paging) => surety.consumers.listLinked({ ...of, ...paging }),
    "payments.list": (paging) => surety.payments.list({ environment, ...paging }),
    "refunds.list": (paging) => surety.refunds.list({ ...of, ...paging }),
    "dataRequests.list": (paging) => surety.dataRequests.list({ ...of, ...paging }),
    "dataRequests.pending": (paging) => surety.dataRequests.pending({ environment, ...paging }),
    "grants.list": (paging) => surety.grants.list({ ...of, ...paging }),
    "receipts.list": (paging) => surety.receipts.list({ ...of, ...paging }),
    "identity.reads": (paging) => surety.identity.reads({ ...of, ...paging }),
    "verifications.list": (paging) => surety.verifications.list({ ...of, ...paging }),
    "events.list": (paging) => surety.events.list({ ...of, ...paging }),
    "dataRequests.disowned": (paging) => surety.dataRequests.disowned({ environment, ...paging }),
    "dataRequests.askingBlocks": (paging) => surety.dataRequests.askingBlocks({ ...of, ...paging }),
    "events.allDeliveries": (paging) => surety.events.allDeliveries({ environment, ...paging }),
    "people.rightsRequests": (paging) => surety.people.rightsRequests({ environment, ...paging }),
    "requests.list": (paging) => surety.requests.list({ ...of, ...paging }),
    "approvals.list": (paging) => surety.approvals.list({ environment, ...paging }),
    "actions.list": (paging) => surety.actions.list(paging),
    "ledger.balances": (paging) => surety.ledger.balances({ environment, ...paging }),
    "ledger.postings": (paging) => surety.ledger.postings({ accountId, ...paging })
  }
}

describe("A list of the facade", () => {
  it("takes no cursor but its own", async () => {
    const surety = await makeSurety()
    const sales = [await makeSale(surety, "1"), await makeSale(surety, "2")] as const
    const [{ scope }, other] = sales
    unwrap(await surety.consumers.create({ environment: "TEST", userId: "user-3", linkedTo: scope.merchantId }))
    unwrap(
      await surety.payments.record({
        ...scope,
        transactionId: "order-3",
        serviceId: sales[0].customer.serviceId,
        amount: 5
      })
    )
    const [account] = unwrap(await surety.ledger.balances({ environment: "TEST" })).data
    const accountId = account?.id ?? assert.fail("a sale opens accounts")
    const lists = Object.entries(listsOf(surety, { ...scope, accountId }))
    const cursors = new Map<string, string>()
    for (const [name, list] of lists) {
      const first = await list({ limit: 1 })
      assert.isTrue(first.ok, name)
      if (first.value?.nextCursor !== undefined) cursors.set(name, first.value.nextCursor)
    }
    assert.isAtLeast(cursors.size, 6)
    for (const [name, list] of lists) {
      const own = cursors.get(name)
      if (own !== undefined) assert.lengthOf((await list({ limit: 1, cursor: own })).value?.data ?? [], 1, name)
      const foreign = [...cursors].flatMap(([of, cursor]) => (of === name ? [] : [cursor]))
      for (const cursor of [...foreign, "", "x", "00000000", "MTIzL2FiYw", "a".repeat(600)]) {
        const refused = await list({ cursor })
        assert.deepInclude(Object(refused.error), { _tag: "InvalidInput" }, `${name} ${cursor}`)
      }
    }
    const strangers = listsOf(surety, { ...other.scope, accountId })
    const [linked = ""] = [cursors.get("consumers.listLinked")]
    assert.isFalse((await strangers["consumers.listLinked"]?.({ cursor: linked }))?.ok)
  })

  it("is walked by this test, whichever it is", async () => {
    const surety = await makeSurety()
    const { scope } = await makeSale(surety, "4")
    const known = Object.keys(listsOf(surety, { ...scope, accountId: "" }))
    const paged = walk(surety).flatMap(({ fields = {}, name }) => ("cursor" in fields ? [name] : []))
    assert.isAtLeast(paged.length, known.length)
    assert.deepStrictEqual(
      paged.filter((name) => !known.includes(name)),
      []
    )
  })
})
