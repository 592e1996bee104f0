import { type HostWallet, unwrap } from "@surety/embed"
import { createTestKit, walletLaws } from "@surety/embed/testing"

/** The part of a host's bank that `walletLaws` uses. */
export interface Bank {
  readonly addCustomer: () => Promise<string>
  readonly balanceInKobo: (userId: string) => Promise<bigint>
}

export const testShop = async (wallet: HostWallet) => {
  const kit = await createTestKit({ wallet })
  unwrap(
    await kit.surety.refunds.create({
      ...kit.scope,
      idempotencyKey: "return-1",
      transactionId: "order-1",
      amount: 1000
    })
  )
  await kit.runUntilIdle() // does what is due by kit.clock, which kit.clock.advance moves
  const [completed] = kit.inbox.of("refund.completed") // verified, as a merchant's receiver would
  await kit.close()
  return completed?.payload.amount
}

export const testWallet = async (wallet: HostWallet, bank: Bank) => {
  await walletLaws({ wallet, makeCustomer: bank.addCustomer, balanceOf: bank.balanceInKobo })
}
