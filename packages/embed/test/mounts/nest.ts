import "reflect-metadata"
import { Body, Controller, Module, Post } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import type { NestExpressApplication } from "@nestjs/platform-express"
import express from "express"
import { type HostServer, type Mount, urlOf } from "./Mount.js"

class OrdersController {
  take(order: object): object {
    return order
  }
}

class ShopModule {}

// Applies `@Controller("shop/orders")`, `@Post()`, `@Body()` and `@Module(…)` by hand, because this project does not
// enable TypeScript's experimental decorators.
Controller("shop/orders")(OrdersController)
const take = Object.getOwnPropertyDescriptor(OrdersController.prototype, "take") ?? {}
Post()(OrdersController.prototype, "take", take)
Body()(OrdersController.prototype, "take", 0)
Module({ controllers: [OrdersController] })(ShopModule)

const hostServer = (app: NestExpressApplication): HostServer => ({
  listen: async () => {
    await app.listen(0, "127.0.0.1")
    return urlOf(app.getHttpServer())
  },
  close: () => app.close()
})

const createApp = () => NestFactory.create<NestExpressApplication>(ShopModule, { logger: false })

export const nest12: Mount = {
  framework: "NestJS 12",
  mount: async (surety) => {
    const app = await createApp()
    // Nest adds its body parsers when it starts to listen, so middleware added earlier runs first.
    app.use(surety.nodeHandler)
    return hostServer(app)
  },
  mountBehindParser: async (surety) => {
    const app = await createApp()
    app.use(express.json())
    app.use(surety.nodeHandler)
    return hostServer(app)
  }
}
