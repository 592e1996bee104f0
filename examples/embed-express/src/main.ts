// A shop with its own wallets, orders and sellers, and Surety embedded in it.
//
//   DATABASE_URL=postgres://… SECRETS_KEY=$(openssl rand -base64 32) npx pnpm --filter ./examples/embed-express start
import { createServer } from "node:http"
import { createSurety, postgresStore } from "@surety/embed"
import { Pool } from "pg"
import { createApp } from "./app.ts"
import { createShopTables } from "./shopTables.ts"
import { shopWallet } from "./shopWallet.ts"

const setting = (name: string): string => {
  const value = process.env[name]
  if (value !== undefined) return value
  console.error(`${name} is not set. The head of src/main.ts shows how to start.`)
  process.exit(1)
}

const port = Number(process.env.PORT ?? 3000)
const databaseUrl = setting("DATABASE_URL")
const secretsKey = setting("SECRETS_KEY")
const pool = new Pool({ connectionString: databaseUrl })
await createShopTables(pool)

const surety = await createSurety({
  store: postgresStore({ pool }),
  secretsKey,
  basePath: "/pay",
  publicUrl: process.env.PUBLIC_URL ?? `http://127.0.0.1:${port}/pay`,
  wallet: shopWallet(pool),
  targets: process.env.NODE_ENV === "production" ? "public" : "any",
  logger: ({ cause, level, message }) => level === "info" || console.error(`${level}: ${message}`, cause ?? "")
})
await surety.workers.start()

const server = createServer(createApp(pool, surety))
server.listen(port, "127.0.0.1", () => {
  const address = server.address()
  console.log(
    `shop listening on http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : ""}`
  )
})

// Open requests need Surety, and Surety needs the pool, so the server closes first and the pool ends last.
const stop = () =>
  server.close(async () => {
    await surety.close()
    await pool.end()
  })
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop)
