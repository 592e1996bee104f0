import type { Surety } from "@surety/embed"
import type express from "express"

export const mountHealth = (app: express.Express, surety: Surety) => {
  app.get("/readyz", async (_, response) => {
    const health = await surety.health()
    response.status(health.ready ? 200 : 503).json(health)
  })
  app.get("/metrics", async (_, response) => {
    response.type("text/plain; version=0.0.4").send(await surety.metrics())
  })
}
