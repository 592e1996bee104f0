import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { promisify } from "node:util"
import { freePort } from "../../packages/testing/src/machine/FreePort.ts"
import { root } from "../packages.ts"
import type { Place, Running } from "./Place.ts"
import type { Programs } from "./Programs.ts"
import { until } from "./waiting.ts"

const run = promisify(execFile)
const address = "127.0.0.1"
const machines = [1, 2, 3] as const
const surety = path.join(root, "packages", "server", "dist", "published", "main.js")

/** How long a supervisor such as systemd leaves a program that was killed, with `RestartSec=5`. */
export const restartSeconds = 5

type Values = Readonly<Record<string, string>>

/** A member of the PostgreSQL cluster, as Patroni's interface tells. */
interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
  readonly lag?: number | string
}

interface Ports {
  readonly client: number
  readonly peer: number
  readonly postgres: number
  readonly rest: number
  readonly pgbouncer: number
  readonly node: number
}

/** What is stored about refunds on one PostgreSQL. */
export interface Stored {
  readonly name: string
  readonly refunds: number
}

const secret = (): string => randomBytes(16).toString("hex")

const ask = async <A>(port: number, pathname: string, body?: object): Promise<A> => {
  const answer = await fetch(`http://${address}:${port}${pathname}`, {
    signal: AbortSignal.timeout(5_000),
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
  })
  if (!answer.ok) throw new Error(`${pathname} responded ${answer.status}`)
  return (await answer.json()) as A
}

/** Three machines' worth of programs in front of and around three PostgreSQL servers, all on this machine. */
export class Cluster {
  readonly operatorToken = `op_${secret()}`
  readonly #passwords = {
    postgres: secret(),
    replication: secret(),
    rewind: secret(),
    owner: secret(),
    server: secret()
  }
  readonly #secretsKey = randomBytes(32).toString("base64")
  readonly #running = new Map<string, Running>()
  readonly #place: Place
  readonly #programs: Programs
  readonly #ports: ReadonlyArray<Ports>
  readonly #primaryPort: number
  readonly #httpPort: number
  /** What else the nodes' environment has: where the shop is. */
  readonly #environment: Values

  private constructor(
    place: Place,
    programs: Programs,
    ports: { readonly machines: ReadonlyArray<Ports>; readonly primary: number; readonly http: number },
    environment: Values
  ) {
    this.#place = place
    this.#programs = programs
    this.#ports = ports.machines
    this.#primaryPort = ports.primary
    this.#httpPort = ports.http
    this.#environment = environment
  }

  /** Starts all of it, one layer on the other. `tell` is called with what is up. */
  static async start(
    place: Place,
    programs: Programs,
    environment: Values,
    tell: (line: string) => void
  ): Promise<Cluster> {
    const taken = new Set<number>()
    const port = async (): Promise<number> => {
      const found = await freePort()
      if (taken.has(found)) return port()
      taken.add(found)
      return found
    }
    const ofMachine = async (): Promise<Ports> => ({
      client: await port(),
      peer: await port(),
      postgres: await port(),
      rest: await port(),
      pgbouncer: await port(),
      node: await port()
    })
    const ports = [await ofMachine(), await ofMachine(), await ofMachine()]
    const cluster = new Cluster(
      place,
      programs,
      { machines: ports, primary: await port(), http: await port() },
      environment
    )
    await cluster.#bringUp(tell)
    return cluster
  }

  /** Where merchants send to. */
  get url(): string {
    return `http://${address}:${this.#httpPort}`
  }

  async #bringUp(tell: (line: string) => void): Promise<void> {
    for (const machine of machines) this.#startEtcd(machine)
    await until("etcd's leader", 60, async () => ((await this.etcdLeader()) === undefined ? undefined : true))
    tell("etcd: three members")
    for (const machine of machines) this.#startPatroni(machine)
    this.#startHaproxy()
    await this.untilReplicated(180)
    tell(`PostgreSQL: ${await this.describe()}`)
    await this.#makeDatabase()
    for (const machine of machines) this.#startPgbouncer(machine)
    for (const machine of machines) this.#startNode(machine)
    await this.untilReady(120)
    tell("Surety: three nodes, each behind its PgBouncer in transaction mode")
  }

  #portsOf(machine: number): Ports {
    const found = this.#ports[machine - 1]
    if (found === undefined) throw new Error(`There is no machine ${machine}`)
    return found
  }

  #startEtcd(machine: number): void {
    const name = `etcd${machine}`
    const room = this.#place.room(name)
    const { client, peer } = this.#portsOf(machine)
    const config = this.#place.configure(room, "etcd.yaml", {
      NAME: name,
      ADDRESS: address,
      DATA: path.join(room, "data"),
      CLIENT_PORT: String(client),
      PEER_PORT: String(peer),
      ETCD_CLUSTER: machines.map((each) => `etcd${each}=http://${address}:${this.#portsOf(each).peer}`).join(",")
    })
    this.#start(name, [this.#programs.etcd, "--config-file", config])
  }

  #startPatroni(machine: number): void {
    const name = `pg${machine}`
    const room = this.#place.room(name)
    const { postgres, rest } = this.#portsOf(machine)
    const config = this.#place.configure(room, "patroni.yaml", {
      NAME: name,
      ADDRESS: address,
      PORT: String(postgres),
      REST_PORT: String(rest),
      ETCD_HOSTS: machines.map((each) => `${address}:${this.#portsOf(each).client}`).join(","),
      DIRECTORY: room,
      DATA: path.join(room, "data"),
      BIN: path.dirname(this.#programs.postgres),
      NETWORK: `${address}/32`,
      POSTGRES_PASSWORD: this.#passwords.postgres,
      REPLICATION_PASSWORD: this.#passwords.replication,
      REWIND_PASSWORD: this.#passwords.rewind
    })
    this.#start(name, [this.#programs.patroni, config])
  }

  #startHaproxy(): void {
    const room = this.#place.room("haproxy")
    const each = machines.flatMap((machine) => {
      const { node, postgres, rest } = this.#portsOf(machine)
      return [
        [`PG${machine}_PORT`, String(postgres)],
        [`PG${machine}_REST_PORT`, String(rest)],
        [`NODE${machine}_PORT`, String(node)]
      ]
    })
    const config = this.#place.configure(room, "haproxy.cfg", {
      ADDRESS: address,
      PRIMARY_PORT: String(this.#primaryPort),
      HTTP_PORT: String(this.#httpPort),
      ...Object.fromEntries(each)
    })
    this.#start("haproxy", [this.#programs.haproxy, "-db", "-f", config])
  }

  #startPgbouncer(machine: number): void {
    const name = `pgbouncer${machine}`
    const room = this.#place.room(name)
    this.#place.write(room, "userlist.txt", `"surety_server" "${this.#passwords.server}"\n`)
    const config = this.#place.configure(room, "pgbouncer.ini", {
      ADDRESS: address,
      PORT: String(this.#portsOf(machine).pgbouncer),
      PRIMARY_PORT: String(this.#primaryPort),
      DIRECTORY: room
    })
    this.#start(name, [this.#programs.pgbouncer, config])
  }

  #startNode(machine: number): void {
    const { node, pgbouncer } = this.#portsOf(machine)
    const url = `postgres://surety_server:${this.#passwords.server}@${address}:${pgbouncer}/surety`
    this.#start(`node${machine}`, [process.execPath, surety, "serve"], true, {
      ...this.#settings(url),
      ...this.#environment,
      PORT: String(node)
    })
  }

  #settings(databaseUrl: string): Values {
    return {
      SURETY_PROFILE: "production",
      DATABASE_URL: databaseUrl,
      DATABASE_PREPARED_STATEMENTS: "off",
      OPERATOR_TOKEN: this.operatorToken,
      SECRETS_KEY: this.#secretsKey,
      PUBLIC_URL: this.url,
      TRUSTED_PROXIES: address,
      RATE_LIMIT_REFUNDS: "0",
      RATE_LIMIT_OTHER: "0",
      RATE_LIMIT_PROVISIONING: "0",
      LOG_LEVEL: "warning",
      NODE_COMPILE_CACHE: path.join(root, "node_modules", ".cache", "compiled")
    }
  }

  #start(name: string, command: ReadonlyArray<string>, asSelf = false, env: Values = {}): void {
    this.#running.set(name, this.#place.start(name, command, { asSelf, env }))
  }

  /** The database and its two users, and the tables: by the primary itself, not by PgBouncer. */
  async #makeDatabase(): Promise<void> {
    await this.#psql(this.#primaryPort, "postgres", ["--command", "create database surety"])
    await this.#psql(this.#primaryPort, "surety", ["--file", path.join(root, "deploy", "database.sql")])
    const owner = `postgres://surety_owner:${this.#passwords.owner}@${address}:${this.#primaryPort}/surety`
    await run(process.execPath, [surety, "migrate", "--serve-as", "surety_server"], {
      env: { PATH: process.env.PATH ?? "", ...this.#settings(owner) }
    })
  }

  async #psql(port: number, database: string, args: ReadonlyArray<string>): Promise<string> {
    const connection = ["--host", address, "--port", String(port), "--username", "postgres", "--dbname", database]
    const { stdout } = await run(
      this.#programs.psql,
      ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1", ...connection, ...args],
      {
        env: {
          PATH: process.env.PATH ?? "",
          PGPASSWORD: this.#passwords.postgres,
          PGCONNECT_TIMEOUT: "5",
          SURETY_OWNER_PASSWORD: this.#passwords.owner,
          SURETY_DATABASE_PASSWORD: this.#passwords.server
        }
      }
    )
    return stdout.trim()
  }

  /** PostgreSQL's members, from the first Patroni that responds. */
  async #members(): Promise<ReadonlyArray<Member>> {
    const asked = machines.map((machine) =>
      ask<{ readonly members: ReadonlyArray<Member> }>(this.#portsOf(machine).rest, "/cluster")
    )
    return (await Promise.any(asked)).members
  }

  /** Who is primary, and who has its commits at once. */
  async describe(): Promise<string> {
    return (await this.#members()).map(({ name, role }) => `${name} ${role.replaceAll("_", " ")}`).join(", ")
  }

  /** Waits for one primary, a synchronous standby and a third server, all in step. */
  untilReplicated(withinSeconds: number): Promise<true> {
    return until("a primary and two standbys", withinSeconds, async () => {
      const members = await this.#members()
      const roles = members.filter(({ state }) => state === "running" || state === "streaming").map(({ role }) => role)
      return roles.includes("leader") && roles.includes("sync_standby") && roles.length === 3 ? true : undefined
    })
  }

  /** Waits until each node is ready. */
  untilReady(withinSeconds: number): Promise<unknown> {
    return Promise.all(
      machines.map((machine) =>
        until(`node${machine} to be ready`, withinSeconds, async () => {
          await ask(this.#portsOf(machine).node, "/readyz")
          return true
        })
      )
    )
  }

  /** The machine whose etcd leads. */
  async etcdLeader(): Promise<number | undefined> {
    interface Status {
      readonly leader?: string
      readonly header: { readonly member_id: string }
    }
    for (const machine of machines) {
      const status = await ask<Status>(this.#portsOf(machine).client, "/v3/maintenance/status", {}).catch(
        () => undefined
      )
      if (status?.leader !== undefined && status.leader !== "0" && status.leader === status.header.member_id)
        return machine
    }
    return undefined
  }

  /** Ends the primary's Patroni and each process of its PostgreSQL at once, as a machine does that loses its power. */
  async killPrimary(): Promise<string> {
    const leader = (await this.#members()).find(({ role }) => role === "leader")
    const machine = machines.find((each) => `pg${each}` === leader?.name)
    if (machine === undefined) throw new Error("There is no primary to kill")
    const name = `pg${machine}`
    const processes = postgresOf(path.join(this.#place.directory, name, "data"))
    this.#running.get(name)?.kill()
    for (const pid of processes) killQuietly(pid)
    // The machine is away until another server is primary: sooner, it would still hold the lock, and go on as if nothing was.
    void until("a new primary", 120, async () => {
      const primary = (await this.#members()).find(({ role, state }) => role === "leader" && state === "running")
      return primary === undefined || primary.name === name ? undefined : true
    }).then(
      () => this.#later(name, () => this.#startPatroni(machine)),
      () => {} // the rehearsal waits for three members and says that they did not come
    )
    return name
  }

  async killEtcdLeader(): Promise<string> {
    const machine = await until("etcd's leader", 30, () => this.etcdLeader())
    const name = `etcd${machine}`
    this.#running.get(name)?.kill()
    this.#later(name, () => this.#startEtcd(machine))
    return name
  }

  async killNode(machine: number): Promise<string> {
    const name = `node${machine}`
    this.#running.get(name)?.kill()
    this.#later(name, () => this.#startNode(machine))
    return name
  }

  /** A supervisor starts a killed program again. */
  #later(name: string, start: () => void): void {
    void this.#running.get(name)?.ended.then(() => setTimeout(start, restartSeconds * 1_000).unref())
  }

  /** `surety verify` of all books, through PgBouncer as the nodes are connected: its exit code and what it printed. */
  async verify(): Promise<{ readonly isClean: boolean; readonly said: string }> {
    const url = `postgres://surety_server:${this.#passwords.server}@${address}:${this.#portsOf(1).pgbouncer}/surety`
    const env = { PATH: process.env.PATH ?? "", ...this.#settings(url) }
    return run(process.execPath, [surety, "verify"], { env }).then(
      ({ stdout }) => ({ isClean: true, said: stdout.trim() }),
      (error: { readonly stdout?: string; readonly stderr?: string }) => ({
        isClean: false,
        said: `${error.stdout ?? ""}${error.stderr ?? ""}`.trim()
      })
    )
  }

  /** How many refunds each PostgreSQL has, read from it directly. */
  stored(): Promise<ReadonlyArray<Stored>> {
    return Promise.all(
      machines.map(async (machine) => ({
        name: `pg${machine}`,
        refunds: Number(
          await this.#psql(this.#portsOf(machine).postgres, "surety", [
            "--command",
            "select count(*) from surety.refund"
          ])
        )
      }))
    )
  }
}

/** The server's first process, and those that it has started. */
const postgresOf = (data: string): ReadonlyArray<number> => {
  const file = path.join(data, "postmaster.pid")
  if (!existsSync(file)) return []
  const first = Number(readFileSync(file, "utf8").split("\n", 1)[0])
  const others = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && parentOf(name) === first)
  return [first, ...others.map(Number)]
}

const parentOf = (pid: string): number | undefined => {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])
  } catch {
    return undefined // it has ended meanwhile
  }
}

const killQuietly = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended meanwhile.
  }
}
