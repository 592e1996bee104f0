import type { HostCredit, HostDirectory, HostWallet } from "@surety/embed"
import { directoryLaws, LawsBroken, walletLaws } from "@surety/embed/testing"
import { assert, describe, it } from "vitest"

/** Creates a bank with a correct wallet. A test can replace the wallet's methods, or add `lookup`. */
const makeBank = (
  replace: (sound: HostWallet, bank: { add: (credit: HostCredit) => void }) => Partial<HostWallet> = () => ({})
) => {
  const balances = new Map<string, bigint>()
  const declined = new Set<string>()
  const seen = new Set<string>()
  const add = ({ amountMinor, userId }: HostCredit) =>
    void balances.set(userId, (balances.get(userId) ?? 0n) + amountMinor)
  const sound: HostWallet = {
    credit: async (credit) => {
      if (declined.has(credit.userId)) return { declined: "The account is closed." }
      if (!seen.has(credit.refundId)) {
        seen.add(credit.refundId)
        add(credit)
      }
      return { credited: true }
    }
  }
  let customers = 0
  const makeCustomer = async () => {
    customers += 1
    return `customer-${customers}`
  }
  return {
    wallet: { ...sound, ...replace(sound, { add }) },
    makeCustomer,
    makeDeclined: async () => {
      const userId = await makeCustomer()
      declined.add(userId)
      return userId
    },
    balanceOf: async (userId: string) => balances.get(userId) ?? 0n
  }
}

const brokenBy = async (checked: Promise<void>): Promise<ReadonlyArray<string>> => {
  const error = await checked.then(
    () => undefined,
    (error: unknown) => error
  )
  if (error === undefined) return []
  assert.instanceOf(error, LawsBroken)
  for (const { law, why } of error.broken) assert.include(error.message, `- ${law}: ${why}`)
  return error.broken.map(({ law }) => law)
}

const always = (answer: unknown) => () => ({ credit: async () => answer as { credited: true } })

describe("The laws of a host's wallet", () => {
  it("hold for a sound wallet", async () => {
    assert.deepStrictEqual(await brokenBy(walletLaws(makeBank())), [])
  })

  it("notice a wallet that credits every call", async () => {
    const broken = await brokenBy(
      walletLaws(
        makeBank((_, { add }) => ({
          credit: async (credit) => {
            add(credit)
            return { credited: true }
          }
        }))
      )
    )
    assert.includeMembers(
      [...broken],
      [
        "credits once however often the same refund is sent",
        "credits once if the same refund is sent ten times at once",
        "declines permanently, and credits nothing"
      ]
    )
  })

  it("hold for a wallet with a sound lookup, and notice one that forgets or credits by it", async () => {
    const credited = new Set<string>()
    const sound = makeBank(({ credit }) => ({
      credit: async (given) => {
        const outcome = await credit(given)
        if ("credited" in outcome) credited.add(given.refundId)
        return outcome
      },
      lookup: async ({ refundId }) => (credited.has(refundId) ? { credited: true } : { notKnown: true })
    }))
    assert.deepStrictEqual(await brokenBy(walletLaws(sound)), [])
    const law = ["reports in a lookup what it has done, and changes nothing"]
    const forgetful = makeBank(() => ({ lookup: async () => ({ notKnown: true }) }))
    assert.deepStrictEqual(await brokenBy(walletLaws(forgetful)), law)
    const hasty = makeBank(() => ({ lookup: async () => ({ credited: true }) }))
    assert.deepStrictEqual(await brokenBy(walletLaws(hasty)), law)
  })

  it("notice a wallet that looks before it writes", async () => {
    const broken = await brokenBy(
      walletLaws(
        makeBank((_, { add }) => {
          const seen = new Set<string>()
          return {
            credit: async (credit) => {
              const isNew = !seen.has(credit.refundId)
              await new Promise((resolve) => setImmediate(resolve))
              if (isNew) add(credit)
              seen.add(credit.refundId)
              return { credited: true }
            }
          }
        })
      )
    )
    assert.include(broken, "credits once if the same refund is sent ten times at once")
    assert.notInclude(broken, "credits once however often the same refund is sent")
  })

  it.each([
    ["says yes without crediting", { credited: true }],
    ["answers with a further field", { credited: true, error: "frozen" }],
    ["answers false", { credited: false }],
    ["answers nothing", undefined]
  ])("notice a wallet that %s", async (_, answer) => {
    assert.include(await brokenBy(walletLaws(makeBank(always(answer)))), "credits a refund and says so")
  })

  it("notice a wallet that throws, and one that also pays another person", async () => {
    const thrown = await brokenBy(walletLaws(makeBank(() => ({ credit: () => Promise.reject(new Error("down")) }))))
    assert.include(thrown, "credits a refund and says so")
    const generous = makeBank((sound, { add }) => ({
      credit: async (credit) => {
        for (let n = 1; n <= 40; n += 1)
          if (`customer-${n}` !== credit.userId) add({ ...credit, userId: `customer-${n}` })
        return sound.credit(credit)
      }
    }))
    assert.include(await brokenBy(walletLaws(generous)), "credits no one else")
  })
})

const person = { environment: "LIVE", userId: "user-ada", serviceId: "SR1-ABCD-EFGH-Q" } as const
const expected = { display_name: "Ada Obi", phone_verified: true, country: "NG" }

const checkDirectory = (values: HostDirectory["values"]) =>
  brokenBy(directoryLaws({ directory: { values }, person, expected, stranger: { ...person, environment: "TEST" } }))

describe("The laws of a host's directory", () => {
  it("hold for a sound directory, and for one that knows no stranger and throws", async () => {
    assert.deepStrictEqual(
      await checkDirectory(async ({ environment }) => (environment === "LIVE" ? expected : {})),
      []
    )
    assert.deepStrictEqual(
      await checkDirectory(async ({ environment }) => {
        if (environment !== "LIVE") throw new Error("unknown")
        return expected
      }),
      []
    )
  })

  it("notice one that discloses strangers", async () => {
    assert.deepStrictEqual(await checkDirectory(async () => expected), ["returns nothing about an unknown person"])
  })

  it("notice wrong values and types, and print none", async () => {
    const values: HostDirectory["values"] = async ({ environment }) =>
      environment === "LIVE" ? { ...expected, display_name: "Bola", phone_verified: "yes" } : {}
    assert.deepStrictEqual(await checkDirectory(values), [
      "returns the expected values",
      "returns each field in its type"
    ])
    const error = await directoryLaws({
      directory: { values },
      person,
      expected,
      stranger: { ...person, environment: "TEST" }
    }).catch((error: unknown) => error)
    assert.notMatch(String(error), /Bola|Ada/)
  })

  it("notice one that fails when a field is asked alone", async () => {
    const broken = await checkDirectory(async ({ environment }, fields) => {
      if (fields.length < 2) throw new Error("too few")
      return environment === "LIVE" ? expected : {}
    })
    assert.deepStrictEqual(broken, ["returns each field alone"])
  })
})
