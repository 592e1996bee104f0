// DATABASE_URL=… POOL_SIZE=… node packages/server/bench/peer/main.ts [simple]
//
// Serves the peer, or the simple peer, on a free port of 127.0.0.1. Prints the address once it is listening.
import { randomBytes } from "node:crypto"
import pg from "pg"
import { executePlainRefund, executeRefund } from "./executeRefund.ts"
import { makeServer } from "./server.ts"

const int8 = 20
pg.types.setTypeParser(int8, BigInt)

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL_SIZE) })
const app = makeServer(pool, randomBytes(32), process.argv[2] === "simple" ? executePlainRefund : executeRefund)
const address = await app.listen({ host: "127.0.0.1", port: 0 })
console.log(`peer listening on ${address}`)

process.once("SIGTERM", async () => {
  await app.close()
  await pool.end()
})
