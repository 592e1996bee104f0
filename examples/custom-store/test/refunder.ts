// One process of several: once it is told to, it refunds the order again and again, one naira at a time, and prints what
// was answered.
import { once } from "node:events"
import { argv, env, stdin, stdout } from "node:process"
import { createSurety } from "@surety/embed"
import { sqliteStore } from "../src/sqliteStore.ts"

const [file = "", merchantId = "", keys = ""] = argv.slice(2)
const secretsKey = env.SECRETS_KEY ?? ""
const surety = await createSurety({ store: sqliteStore(file), secretsKey })
stdout.write("ready\n")
await once(stdin.resume(), "end")

for (const idempotencyKey of keys.split(",")) {
  const transactionId = "order-1"
  const outcome = await surety.refunds.create({
    merchantId,
    environment: "TEST",
    idempotencyKey,
    transactionId,
    amount: 1
  })
  stdout.write(`${outcome.ok ? outcome.value.refund.refundId : outcome.error._tag}\n`)
}
await surety.close()
