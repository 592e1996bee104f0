import { createServer } from "node:http"
import { createSurety, postgresStore, toNodeHandler } from "@surety/embed"

export const run = async (databaseUrl: string, secretsKey: string, port: number) => {
  const surety = await createSurety({
    store: postgresStore({ url: databaseUrl }),
    secretsKey, // openssl rand -base64 32
    basePath: "/pay",
    publicUrl: "https://shop.example/pay" // where people and merchants reach it: consent links begin with it
  })
  await surety.workers.start()

  const server = createServer(toNodeHandler(surety)).listen(port)

  const stop = () => server.close(() => surety.close())
  process.once("SIGTERM", stop)
  return { server, stop, surety }
}
