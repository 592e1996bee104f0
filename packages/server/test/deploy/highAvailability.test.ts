import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { defaultPgSettings } from "@surety/postgres/PgSettings"
import { isLeftOut } from "@surety/testing/machine/LeftOut"
import { Result } from "effect"
import { Deployment } from "kubernetes-models/apps/v1"
import { PodDisruptionBudget } from "kubernetes-models/policy/v1"
import { ConfigMap, Service, ServiceAccount } from "kubernetes-models/v1"
import { assert, describe, it } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { describeFaults, parseSettings } from "../../src/settings/parseSettings.js"
import { readDeployFile, root } from "./DeployFile.js"

const patience = 420_000

const manifests = ["database", "surety"].flatMap((name) =>
  parseAllDocuments(readDeployFile(`ha/kubernetes/${name}.yaml`)).map((document) => document.toJS())
)

const kinds = { ServiceAccount, ConfigMap, Deployment, Service, PodDisruptionBudget }

const manifest = (kind: string, name = "surety") =>
  manifests.find((found) => found.kind === kind && found.metadata.name === name) ?? assert.fail(`${kind} ${name}`)

/** Returns a file with each variable replaced by a number, since a number is valid wherever a variable occurs. */
const filled = (name: string): string => readDeployFile(`ha/${name}`).replaceAll(/\$\{\w+\}/g, "7")

const iniOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from(text.matchAll(/^(\w+) = (.+)$/gm), ([, name = "", value = ""]) => [name, value]))

/** Seconds after which a node gives up on a database operation. PgBouncer must stop waiting for a connection sooner. */
const statementSeconds = defaultPgSettings.operationTimeoutMillis / 1_000

const rehearse = (args: ReadonlyArray<string>, environment: NodeJS.ProcessEnv) =>
  spawnSync(process.execPath, [path.join(root, "scripts", "ha.ts"), ...args], {
    cwd: root,
    encoding: "utf8",
    env: environment,
    timeout: patience - 20_000
  })

describe("deploy/ha", () => {
  it("answers no commit that one disk has alone, and replaces a primary within what Patroni allows", () => {
    const { dcs } = parse(filled("patroni.yaml")).bootstrap
    assert.deepInclude(dcs, { synchronous_mode: true, synchronous_mode_strict: true, synchronous_node_count: 1 })
    assert.deepInclude(dcs.postgresql.parameters, { synchronous_commit: "on", fsync: "on" })
    assert.isAtMost(dcs.loop_wait + 2 * dcs.retry_timeout, dcs.ttl)
    const etcd = parse(filled("etcd.yaml"))
    assert.isTrue(etcd["enable-grpc-gateway"])
    assert.isAtLeast(etcd["election-timeout"], 5 * etcd["heartbeat-interval"])
  })

  it("has PgBouncer give up before a node does, in transaction mode", () => {
    const own = iniOf(readDeployFile("ha/pgbouncer.ini"))
    const { poolMode, parameters } = manifest("Pooler", "surety-pooler").spec.pgbouncer
    for (const settings of [own, parameters]) {
      assert.isBelow(Number(settings.query_wait_timeout), statementSeconds)
      assert.isAtMost(Number(settings.server_login_retry), 1)
    }
    assert.deepStrictEqual([own.pool_mode, poolMode], ["transaction", "transaction"])
    assert.isAbove(Number(parameters.max_prepared_statements), 100)
  })

  it("asks Patroni who is primary, and each node whether it is ready", () => {
    const text = readDeployFile("ha/haproxy.cfg")
    assert.match(text, /listen primary[\s\S]*uri \/primary[\s\S]*shutdown-sessions[\s\S]*frontend/)
    assert.match(text, /backend nodes[\s\S]*uri \/readyz/)
    const bodies = Array.from(text.matchAll(/string '(\{.*?\})'/g), ([, body = ""]) => JSON.parse(body))
    assert.deepStrictEqual(
      bodies.map(({ code, status }) => [code, status]),
      [
        ["service_unavailable", 503],
        ["service_unavailable", 502]
      ]
    )
    // A request that may have reached a node may be retried only by the client, which reuses the idempotency key.
    assert.deepStrictEqual(text.match(/^ +retry-on .*$/gm), ["  retry-on conn-failure"])
  })

  it("has manifests of the form of Kubernetes' own schemas, and a fault put in is found", () => {
    assert.sameMembers(
      manifests.map(({ kind }) => kind),
      ["Cluster", "Pooler", "PodDisruptionBudget", ...Object.keys(kinds)]
    )
    for (const found of manifests) {
      const Kind = kinds[found.kind as keyof typeof kinds]
      if (Kind !== undefined) new Kind(found).validate()
    }
    const { spec, ...deployment } = structuredClone(manifest("Deployment"))
    assert.throws(() => new Deployment({ ...deployment, spec: { ...spec, replicas: "two" } }).validate(), /replicas/)
  })

  it("keeps three of everything on different machines, and two of them through a drain", () => {
    const { affinity, instances, postgresql } = manifest("Cluster", "surety-database").spec
    assert.deepStrictEqual(postgresql.synchronous, { method: "any", number: 1, dataDurability: "required" })
    assert.deepInclude(affinity, { enablePodAntiAffinity: true, podAntiAffinityType: "required" })
    assert.strictEqual(instances, 3)
    for (const [found, budget, pods] of [
      [manifest("Deployment"), manifest("PodDisruptionBudget"), manifest("Deployment").spec.replicas],
      [
        manifest("Pooler", "surety-pooler"),
        manifest("PodDisruptionBudget", "surety-pooler"),
        manifest("Pooler", "surety-pooler").spec.instances
      ]
    ] as const) {
      const { template } = found.spec
      const [rule] = template.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution
      assert.strictEqual(rule.topologyKey, "kubernetes.io/hostname")
      assert.deepStrictEqual(rule.labelSelector.matchLabels, template.metadata.labels)
      assert.deepStrictEqual(budget.spec.selector.matchLabels, template.metadata.labels)
      assert.deepStrictEqual([pods, budget.spec.minAvailable], [3, 2])
    }
    assert.deepStrictEqual(manifest("Service").spec.selector, manifest("Deployment").spec.template.metadata.labels)
  })

  it("gives the nodes every setting that they need, and the owner's password to the migration alone", () => {
    const secret = {
      DATABASE_URL: "postgres://surety_server:x@surety-pooler:5432/surety",
      OPERATOR_TOKEN: "b".repeat(48),
      SECRETS_KEY: Buffer.alloc(32, 7).toString("base64")
    }
    const parsed = parseSettings({ SURETY_PROFILE: "production", ...manifest("ConfigMap").data, ...secret })
    assert.strictEqual(Result.isSuccess(parsed) ? "starts" : describeFaults(parsed.failure), "starts")
    const { containers, initContainers, terminationGracePeriodSeconds } = manifest("Deployment").spec.template.spec
    const [server] = containers
    assert.notInclude(JSON.stringify(containers), "surety-owner")
    assert.deepStrictEqual(initContainers[0].args, ["migrate", "--serve-as", "surety_server"])
    assert.include(JSON.stringify(initContainers[0].envFrom.at(-1)), "surety-owner")
    const paths = [server.startupProbe, server.readinessProbe, server.livenessProbe].map(({ httpGet }) => httpGet.path)
    assert.deepStrictEqual(paths, ["/readyz", "/readyz", "/healthz"])
    assert.isAbove(terminationGracePeriodSeconds, 30 + server.lifecycle.preStop.sleep.seconds)
  })
})

describe("npx pnpm ha", () => {
  it("names the packages that are missing", () => {
    const { status, stderr } = rehearse([], { PATH: "/nowhere", PG_TOOLS: "/nowhere" })
    assert.match(stderr, /^Not installed: .*psql.* apt-get install .*postgresql$/m)
    assert.strictEqual(status, 2)
  })

  it.skipIf(isLeftOut(process.env, "SKIP_HA"))(
    "kills the primary, etcd's leader and a node under load: nothing acknowledged is lost or doubled, and nothing is left",
    () => {
      const directory = mkdtempSync(path.join(tmpdir(), "surety-ha-test-"))
      // PostgreSQL's own user must be able to traverse the directory.
      chmodSync(directory, 0o755)
      const { status, stderr, stdout } = rehearse(["--rest", "1", "--sparing", "--built"], {
        ...process.env,
        TMPDIR: directory
      })
      const left = readdirSync(directory)
      rmSync(directory, { recursive: true, force: true })
      assert.strictEqual(status, 0, `${stdout}${stderr}`)
      assert.match(stdout, /^All acknowledged refunds are there/m)
      assert.strictEqual(stderr.match(/SIGKILL: /g)?.length, 3, stderr)
      assert.deepStrictEqual(left, [])
    },
    patience
  )
})
