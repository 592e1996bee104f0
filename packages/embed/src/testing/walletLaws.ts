import { randomUUID } from "node:crypto"
import { Result } from "effect"
import {
  type HostCredit,
  type HostCreditOutcome,
  type HostWallet,
  readCredit,
  readKnowledge
} from "../host/HostWallet.js"
import { checkLaws } from "./Laws.js"

/** A wallet to check, with access to its customers and balances. */
export interface WalletUnderTest {
  readonly wallet: HostWallet
  /** Creates a customer who has a wallet at the host. Returns the customer's user id. */
  readonly makeCustomer: () => Promise<string>
  /** Returns the balance of the customer's primary wallet in minor units. */
  readonly balanceOf: (userId: string) => Promise<bigint>
  /** Creates a customer whose credits the wallet always declines. Omit it for a wallet that never declines. */
  readonly makeDeclined?: () => Promise<string>
  /** Default: NGN. */
  readonly currency?: string
}

const amount = 12_345n

const newId = (): string => randomUUID().replaceAll("-", "")

const told = (answer: unknown): HostCreditOutcome | string => {
  const read = readCredit(answer)
  return Result.isSuccess(read) ? read.success : read.failure.message
}

/**
 * Looks up a credit. Returns the name of the result's field, such as `credited`, or the reason why the result is
 * invalid.
 */
const knownTo = async (wallet: HostWallet, { environment, merchantId, refundId }: HostCredit) => {
  const read = readKnowledge(await wallet.lookup?.({ refundId, merchantId, environment }))
  return Result.isSuccess(read) ? (Object.keys(read.success)[0] ?? "nothing") : read.failure.message
}

const differs = (what: string, expected: unknown, found: unknown): string | undefined =>
  expected === found ? undefined : `${what} should be ${expected}, but is ${found}`

/**
 * Checks that a host's wallet honours its contract. `credit`, and `lookup` if the wallet has one, must return exactly
 * the documented responses. Repeated and concurrent calls must credit a refund only once. If `makeDeclined` is given,
 * declines must be final. Rejects with `LawsBroken`, which lists every broken law. Works with any test runner. Run it
 * against a wallet without real money.
 *
 * @example
 * import { walletLaws } from "@surety/embed/testing"
 *
 * await walletLaws({
 *   wallet,
 *   makeCustomer: async () => (await shop.addCustomer()).id,
 *   balanceOf: async (userId) => shop.balanceInKobo(userId)
 * })
 */
export const walletLaws = async ({
  balanceOf,
  currency = "NGN",
  makeCustomer,
  makeDeclined,
  wallet
}: WalletUnderTest): Promise<void> => {
  const creditFor = (userId: string): HostCredit => ({
    refundId: `refund_${newId()}`,
    merchantId: `merchant_${newId()}`,
    environment: "TEST",
    transactionId: `payment_${newId()}`,
    userId,
    amountMinor: amount,
    currency
  })
  const credit = async (given: HostCredit) => told(await wallet.credit(given))
  const faultOf = (answer: HostCreditOutcome | string): string | undefined => {
    if (typeof answer === "string") return answer
    return "credited" in answer ? undefined : `it declined: ${answer.declined}`
  }
  const grown = async (userId: string, before: bigint, by: bigint) =>
    differs("the balance's growth", by, (await balanceOf(userId)) - before)

  await checkLaws("wallet", {
    "credits a refund and says so": async () => {
      const userId = await makeCustomer()
      const before = await balanceOf(userId)
      return faultOf(await credit(creditFor(userId))) ?? (await grown(userId, before, amount))
    },
    "credits once however often the same refund is sent": async () => {
      const userId = await makeCustomer()
      const before = await balanceOf(userId)
      const given = creditFor(userId)
      const faults = [await credit(given), await credit(given), await credit(given)].map(faultOf)
      return faults.find((fault) => fault !== undefined) ?? (await grown(userId, before, amount))
    },
    "credits once if the same refund is sent ten times at once": async () => {
      const userId = await makeCustomer()
      const before = await balanceOf(userId)
      const given = creditFor(userId)
      // Some of the concurrent calls may fail, because Surety would retry them. The next call must succeed.
      await Promise.allSettled(Array.from({ length: 10 }, () => wallet.credit(given)))
      return faultOf(await credit(given)) ?? (await grown(userId, before, amount))
    },
    "credits two refunds of one customer, even at once": async () => {
      const userId = await makeCustomer()
      const before = await balanceOf(userId)
      const both = await Promise.all([credit(creditFor(userId)), credit(creditFor(userId))])
      return both.map(faultOf).find((fault) => fault !== undefined) ?? (await grown(userId, before, 2n * amount))
    },
    "credits no one else": async () => {
      const [userId, other] = [await makeCustomer(), await makeCustomer()]
      const before = await balanceOf(other)
      return faultOf(await credit(creditFor(userId))) ?? (await grown(other, before, 0n))
    },
    ...(wallet.lookup === undefined
      ? {}
      : {
          "reports in a lookup what it has done, and changes nothing": async () => {
            const userId = await makeCustomer()
            const before = await balanceOf(userId)
            const given = creditFor(userId)
            const unasked = differs("a lookup before the credit", "notKnown", await knownTo(wallet, given))
            const untouched = await grown(userId, before, 0n)
            const fault = unasked ?? untouched ?? faultOf(await credit(given))
            return fault ?? differs("a lookup after the credit", "credited", await knownTo(wallet, given))
          }
        }),
    ...(makeDeclined === undefined
      ? {}
      : {
          "declines permanently, and credits nothing": async () => {
            const userId = await makeDeclined()
            const before = await balanceOf(userId)
            const given = creditFor(userId)
            for (const answer of [await credit(given), await credit(given)]) {
              if (typeof answer === "string") return answer
              if (!("declined" in answer)) return "it credited"
              if (answer.declined.trim() === "") return "the reason, which the merchant sees, is blank"
            }
            return grown(userId, before, 0n)
          }
        })
  })
}
