import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { DCLinter } from "dclint"
import { validate } from "dockerfile-utils"
import { Result } from "effect"
import { Deployment } from "kubernetes-models/apps/v1"
import { CronJob } from "kubernetes-models/batch/v1"
import { PodDisruptionBudget } from "kubernetes-models/policy/v1"
import { ConfigMap, Service, ServiceAccount } from "kubernetes-models/v1"
import { afterAll, assert, describe, it } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { describeFaults, parseSettings } from "../../src/settings/parseSettings.js"
import { typeErrors } from "../support/typeErrors.js"
import { deployFile, readDeployFile } from "./DeployFile.js"

const scratch = mkdtempSync(path.join(tmpdir(), "surety-deploy-"))
afterAll(() => rmSync(scratch, { recursive: true }))

const dockerfile = readDeployFile("Dockerfile")
const compose = readDeployFile("compose.yaml")
const manifests = parseAllDocuments(readDeployFile("kubernetes.yaml")).map((document) => document.toJS())

const secrets = {
  POSTGRES_PASSWORD: "a".repeat(48),
  SURETY_OWNER_PASSWORD: "d".repeat(48),
  SURETY_DATABASE_PASSWORD: "c".repeat(48),
  OPERATOR_TOKEN: "b".repeat(48),
  SECRETS_KEY: Buffer.alloc(32, 7).toString("base64")
}

/** Returns the variables that `ENV` sets in the final image. */
const imageEnvironment = (): Record<string, string> => {
  const shipped = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "))
  return Object.fromEntries(
    [...shipped.matchAll(/^ENV (.+)$/gm)].flatMap(([, line = ""]) =>
      line.split(" ").map((pair) => pair.split("=", 2) as [string, string])
    )
  )
}

const startsWith = (environment: Record<string, string>): string => {
  const parsed = parseSettings(environment)
  return Result.isSuccess(parsed) ? "starts" : describeFaults(parsed.failure)
}

describe("The Dockerfile", () => {
  it("has no fault that a linter finds, and a fault put in is found", () => {
    assert.deepStrictEqual(validate(dockerfile), [])
    assert.isNotEmpty(validate(dockerfile.replace("--interval=10s", "--interval=10parsecs")))
    assert.isNotEmpty(validate(dockerfile.replace("USER node", "USR node")))
  })

  it("is built on the Node that the workspace runs on, by a digest that has to be given, without root", () => {
    const { catalog } = parse(readDeployFile("../pnpm-workspace.yaml"))
    const major = String(catalog.node).split(".")[0]
    const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
    const pinned = `node:${major}-bookworm-slim@\${NODE_DIGEST}`
    assert.deepStrictEqual(images, [pinned, pinned])
    assert.deepStrictEqual(dockerfile.match(/^ARG .*$/gm), ["ARG NODE_DIGEST"])
    assert.include(dockerfile, `imagetools inspect node:${major}-bookworm-slim --format '{{.Manifest.Digest}}'`)
    assert.notMatch(dockerfile, /^# syntax=/m)
    assert.match(dockerfile.slice(dockerfile.lastIndexOf("\nFROM ")), /^USER node$/m)
  })

  it("builds the image by commands that the workspace has", () => {
    const { name } = JSON.parse(readDeployFile("../packages/server/package.json"))
    assert.include(dockerfile, `pnpm --filter ${name} deploy --prod --legacy /app`)
    assert.include(dockerfile, "node scripts/build.ts --js server")
  })

  it("has a health check that tells a server that answers from one that does not", async () => {
    const [, command = "[]"] = /^HEALTHCHECK [^\n]+\\\n\s+CMD (\[.+\])$/m.exec(dockerfile) ?? []
    const [program, flag, script] = JSON.parse(command)
    assert.deepStrictEqual([program, flag], ["node", "-e"])
    const exit = async (answer: (() => Promise<{ ok: boolean }>) | undefined) => {
      const asked: Array<string> = []
      const code = await new Promise<number>((resolve) => {
        const process = { env: { PORT: "3000" }, exit: resolve }
        const fetch = (url: string) => {
          asked.push(url)
          return answer === undefined ? Promise.reject(new Error("refused")) : answer()
        }
        new Function("process", "fetch", script)(process, fetch)
      })
      return [code, ...asked]
    }
    const url = "http://127.0.0.1:3000/healthz"
    assert.deepStrictEqual(await exit(async () => ({ ok: true })), [0, url])
    assert.deepStrictEqual(await exit(async () => ({ ok: false })), [1, url])
    assert.deepStrictEqual(await exit(undefined), [1, url])
  })
})

interface Linted {
  readonly messages: ReadonlyArray<{ readonly line: number; readonly rule: string; readonly message: string }>
}

const lint = (file: string): ReadonlyArray<string> =>
  new DCLinter({
    rules: {
      "require-quotes-in-ports": [1, { quoteType: "double" }],
      // The rule mistakes the digest's variable for a missing tag. A test below checks the images.
      "service-image-require-explicit-tag": 0
    },
    quiet: false,
    debug: false,
    exclude: []
  })
    .lintFiles([file], false)
    .flatMap(({ messages }: Linted) => messages.map(({ line, message, rule }) => `${line}: ${rule}: ${message}`))

describe("compose.yaml", () => {
  it("has the form of the Compose specification and no fault that a linter finds; a fault put in is found", () => {
    assert.deepStrictEqual(lint(deployFile("compose.yaml")), [])
    const broken = path.join(scratch, "compose.yaml")
    writeFileSync(broken, compose.replace("restart: unless-stopped", "restarts: unless-stopped"))
    assert.isNotEmpty(lint(broken))
    writeFileSync(broken, compose.replace("127.0.0.1:3000:3000", "3000:3000"))
    assert.isNotEmpty(lint(broken))
  })

  it("gives the server every setting that it needs to start, and none that it does not know", () => {
    const { services } = parse(compose, { merge: true })
    const environment = Object.fromEntries(
      Object.entries<string>(services.server.environment).map(([name, text]) => [
        name,
        text.replace(/\$\{(\w+)(?::[?-]([^}]*))?\}/g, (_, variable: string, other: string) =>
          variable in secrets ? secrets[variable as keyof typeof secrets] : other
        )
      ])
    )
    assert.strictEqual(startsWith({ ...imageEnvironment(), ...environment }), "starts")
    const { DATABASE_URL: _, ...without } = environment
    assert.match(startsWith({ ...imageEnvironment(), ...without }), /DATABASE_URL/)
  })

  it("takes its images by digests that have to be given, and says how they are resolved", () => {
    const { services } = parse(compose)
    assert.match(services.database.image, /^postgres:\d+\.\d+@\$\{POSTGRES_DIGEST:\?[^}]+\}$/)
    assert.match(services.server.build.args.NODE_DIGEST, /^\$\{NODE_DIGEST:\?[^}]+\}$/)
    const page = readDeployFile("../docs/embedding/deployment.md")
    assert.include(page, "docker buildx imagetools inspect")
    for (const variable of compose.matchAll(/\$\{(\w+):\?/g)) assert.include(page, `\n${variable[1]}=`)
  })

  it("believes the proxy on the machine, migrates as the tables' owner, and serves as a role that can only serve", () => {
    const { networks, services } = parse(compose, { merge: true })
    const [{ gateway }] = networks.inside.ipam.config
    assert.strictEqual(services.server.environment.TRUSTED_PROXIES, `\${TRUSTED_PROXIES:-${gateway}}`)
    assert.match(services.server.environment.DATABASE_URL, /^postgres:\/\/surety_server:/)
    assert.match(services.migrate.environment.DATABASE_URL, /^postgres:\/\/surety_owner:/)
    assert.deepStrictEqual(services.migrate.command, ["migrate", "--serve-as", "surety_server"])
    assert.deepStrictEqual(services.server.depends_on, { migrate: { condition: "service_completed_successfully" } })
    assert.notProperty(services.database.environment, "POSTGRES_USER")
  })
})

const kinds = { ConfigMap, CronJob, Deployment, PodDisruptionBudget, Service, ServiceAccount }

const manifest = (kind: keyof typeof kinds) => manifests.find((found) => found.kind === kind)

describe("kubernetes.yaml", () => {
  it("has the form of Kubernetes' own schemas, and a fault put in is found", () => {
    assert.sameMembers(
      manifests.map(({ kind }) => kind),
      Object.keys(kinds)
    )
    for (const found of manifests) new kinds[found.kind as keyof typeof kinds](found).validate()
    const { spec, ...deployment } = structuredClone(manifest("Deployment"))
    assert.throws(() => new Deployment({ ...deployment, spec: { ...spec, replicas: "two" } }).validate(), /replicas/)
  })

  it("has no field that Kubernetes does not know", async () => {
    const typed = (found: { readonly kind: string; readonly apiVersion: string }): string =>
      `import type { I${found.kind} } from "kubernetes-models/${found.apiVersion}"\n` +
      `export const manifest: I${found.kind} = ${JSON.stringify(found, null, 1)}\n`
    const files = Object.fromEntries(manifests.map((found) => [`${found.kind}.ts`, typed(found)]))
    const { spec, ...deployment } = structuredClone(manifest("Deployment"))
    const misspelt = typed({ ...deployment, spec: { ...spec, revisionHistory: 3 } })
    const faults = (await typeErrors({ ...files, "Misspelt.ts": misspelt })).split(/\n(?! )/)
    assert.lengthOf(faults, 1)
    assert.match(faults[0] ?? "", /^Misspelt\.ts.*revisionHistory/s)
  })

  it("gives the server every setting that it needs to start", () => {
    const environment = { ...imageEnvironment(), ...manifest("ConfigMap").data }
    assert.isString(manifest("ConfigMap").data.TRUSTED_PROXIES)
    const {
      POSTGRES_PASSWORD: _,
      SURETY_OWNER_PASSWORD: __,
      SURETY_DATABASE_PASSWORD: ___,
      ...secret
    } = { ...secrets, DATABASE_URL: "postgres://surety:x@db.internal/surety" }
    assert.strictEqual(startsWith({ ...environment, ...secret }), "starts")
    assert.match(startsWith(environment), /DATABASE_URL[\s\S]+OPERATOR_TOKEN[\s\S]+SECRETS_KEY/)
  })

  it("migrates as the tables' owner, whose password no server has", () => {
    const {
      containers: [server],
      initContainers: [migrate]
    } = manifest("Deployment").spec.template.spec
    const sources = ({
      envFrom
    }: {
      readonly envFrom: ReadonlyArray<{ readonly secretRef?: { readonly name: string } }>
    }) => envFrom.flatMap(({ secretRef }) => (secretRef === undefined ? [] : [secretRef.name]))
    assert.deepStrictEqual(migrate.args, ["migrate", "--serve-as", "surety_server"])
    assert.deepStrictEqual([sources(migrate), sources(server)], [["surety", "surety-owner"], ["surety"]])
  })

  it("asks the server's health routes, and gives it longer than its end may take", () => {
    const { spec } = manifest("Deployment").spec.template
    const [server] = spec.containers
    const paths = [server.startupProbe, server.readinessProbe, server.livenessProbe].map(({ httpGet }) => httpGet.path)
    assert.deepStrictEqual(paths, ["/readyz", "/readyz", "/healthz"])
    assert.isAbove(spec.terminationGracePeriodSeconds, 30 + server.lifecycle.preStop.sleep.seconds)
    const names = [manifest("Service"), manifest("PodDisruptionBudget")].map(({ spec: { selector } }) => selector)
    const labels = manifest("Deployment").spec.template.metadata.labels
    assert.deepStrictEqual(names, [labels, { matchLabels: labels }])
  })
})
