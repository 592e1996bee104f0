import type { TransactionalSurety } from "@surety/embed"
import express, { type NextFunction, type Request, type Response } from "express"
import type { Pool } from "pg"
import { placeOrder, returnOrder, ShopError } from "./orders.ts"
import { addSeller } from "./sellers.ts"

/** Builds the shop's Express app, with Surety's routes below `/pay`. */
export const createApp = (pool: Pool, surety: TransactionalSurety) => {
  const app = express()
  // Mounted before the body parser: Surety must read a merchant's request body exactly as sent.
  app.use(surety.nodeHandler)
  app.use(express.json())

  app.post("/users", async ({ body }, response) => {
    await pool.query("insert into shop.users (id, name, email) values ($1, $2, $3)", [body.id, body.name, body.email])
    await pool.query("insert into shop.wallets values ($1, $2)", [body.id, body.kobo])
    response.status(201).json({ id: body.id })
  })
  app.get("/wallets/:userId", async ({ params }, response) => {
    const { rows } = await pool.query("select kobo::float8 as kobo from shop.wallets where user_id = $1", [
      params.userId
    ])
    response.json(rows[0])
  })
  app.post("/sellers", async ({ body }, response) => {
    response.status(201).json(await addSeller(pool, surety, body))
  })
  app.post("/orders", async ({ body }, response) => {
    response.status(201).json(await placeOrder(pool, surety, body))
  })
  app.post("/orders/:id/return", async ({ params }, response) => {
    response.status(201).json(await returnOrder(pool, surety, params.id))
  })

  app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
    if (error instanceof ShopError) response.status(409).json({ error: error.message })
    else next(error)
  })
  return app
}
