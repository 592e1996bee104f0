import { createSurety, type HostStore, unwrap } from "@surety/embed"

const members: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
  "member-1": { display_name: "Bola Ade", email: "bola@club.example", country: "NG", points: 1200 }
}

/** Opens Surety with the club as its consumer directory, so merchants read the club's current data. */
export const openSurety = (store: HostStore, secretsKey: string, origin: string) =>
  createSurety({
    ...{ store, secretsKey },
    basePath: "/pay",
    publicUrl: `${origin}/pay`,
    directory: { fields: ["points"], values: async ({ userId }) => members[userId] ?? {} },
    consentUrl: (token) => `${origin}/asked/${token}`,
    targets: "any",
    logger: ({ cause, level, message }) => level === "info" || console.error(`${level}: ${message}`, cause ?? "")
  })

/** Creates a partner with a TEST key, and registers `member-1` in Surety so that the partner can request their data. */
export const introduce = async (surety: Awaited<ReturnType<typeof openSurety>>) => {
  const partner = unwrap(
    await surety.merchants.create({
      name: "Lagos Cinema",
      legalName: "Lagos Cinema Ltd",
      contactName: "Ada Obi",
      contactEmail: "ada@cinema.example",
      country: "NG",
      businessType: "leisure"
    })
  )
  const environment = "TEST"
  const { secret } = unwrap(await surety.apiKeys.create({ merchantId: partner.id, environment }))
  const { serviceId } = unwrap(await surety.consumers.create({ environment, userId: "member-1" }))
  return { apiKey: secret, serviceId }
}
