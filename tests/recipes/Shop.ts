import {
  createSurety,
  type HostWallet,
  postgresStore,
  type Surety,
  type TransactionalSurety,
  unwrap
} from "@surety/embed"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { Pool } from "pg"
import { afterAll } from "vitest"
import type { Order } from "./Order.ts"

export interface Shop {
  readonly url: string
  readonly pool: Pool
  readonly surety: TransactionalSurety
  /** Surety on the same database, but with the host's own wallet. */
  readonly withWallet: TransactionalSurety
  /** Ids of the refunds that the wallet of `withWallet` credited. */
  readonly credited: ReadonlyArray<string>
  /**
   * Creates an order and records its payment of 1,000 NGN. A transaction that changes a `doomed` order fails to commit,
   * unless the table `shops` has the row `none`.
   */
  readonly order: (kind?: "doomed") => Promise<Order>
  readonly statusOf: (order: Order) => Promise<string | undefined>
  readonly refundsOf: (order: Order) => Promise<ReadonlyArray<Surety.Refund>>
}

const application = {
  name: "Corner Shop",
  legalName: "Corner Shop Ltd",
  contactName: "Ada Obi",
  contactEmail: "ada@corner.example",
  country: "NG",
  businessType: "retail"
}

/** Opens a shop with orders and Surety in one database. It closes when the file's tests are done. */
export const openShop = async (): Promise<Shop> => {
  const scope = Effect.runSync(Scope.make())
  const context = await Effect.runPromise(Layer.buildWithScope(RunDatabase.layer, scope))
  const url = Redacted.value(Context.get(context, TestDatabase).url)
  const pool = new Pool({ connectionString: url })
  pool.on("error", () => {})
  await pool.query(`
    create table shops (id text primary key);
    insert into shops values ('corner');
    create table orders (
      id text primary key,
      status text not null,
      shop text not null default 'corner' references shops deferrable initially deferred
    );
    create function doom() returns trigger language plpgsql as $$
    begin
      new.shop := 'none';
      return new;
    end $$;
    create trigger doomed before update on orders for each row when (old.id like 'doomed-%') execute function doom()`)
  const options = { secretsKey: Buffer.alloc(32, 7).toString("base64"), targets: "any" } as const
  const surety = await createSurety({ ...options, store: postgresStore({ pool }) })
  const credited: Array<string> = []
  const wallet: HostWallet = {
    credit: async ({ refundId }) => {
      credited.push(refundId)
      return { credited: true }
    }
  }
  const withWallet = await createSurety({ ...options, store: postgresStore({ pool }), wallet })
  afterAll(async () => {
    await withWallet.close()
    await surety.close()
    await pool.end()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
  const environment = "TEST"
  const merchant = unwrap(await surety.merchants.ensure({ ...application, externalId: "corner" }))
  const { id: merchantId } = merchant
  unwrap(await surety.consumers.ensure({ environment, userId: "user-1", linkedTo: merchantId }))
  let count = 0
  return {
    url,
    pool,
    surety,
    withWallet,
    credited,
    order: async (kind) => {
      count += 1
      const id = `${kind ?? "order"}-${count}`
      await pool.query("insert into orders values ($1, 'paid')", [id])
      const paid = { merchantId, environment, transactionId: id, userId: "user-1", amountMinor: 100_000n } as const
      unwrap(await surety.payments.record(paid))
      return { id, merchantId }
    },
    statusOf: async ({ id }) => (await pool.query("select status from orders where id = $1", [id])).rows[0]?.status,
    refundsOf: async ({ id }) => unwrap(await surety.refunds.list({ merchantId, environment, transactionId: id })).data
  }
}
