import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import path from "node:path"
import { promisify } from "node:util"
import { freePort } from "../../packages/testing/src/machine/FreePort.ts"
import { root } from "../packages.ts"
import type { Place, Running } from "./Place.ts"
import type { Programs } from "./Programs.ts"

const run = promisify(execFile)

export const address = "127.0.0.1"

/** Numbers of the simulated machines. Each runs an etcd, a PostgreSQL with its Patroni, a PgBouncer and a node. */
export const machines = [1, 2, 3] as const

const surety = path.join(root, "packages", "server", "dist", "published", "main.js")

type Values = Readonly<Record<string, string>>

interface Ports {
  readonly client: number
  readonly peer: number
  readonly postgres: number
  readonly rest: number
  readonly pgbouncer: number
  readonly node: number
}

export interface AllPorts {
  readonly machines: ReadonlyArray<Ports>
  readonly primary: number
  readonly http: number
}

export const choosePorts = async (): Promise<AllPorts> => {
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
  const ofEach = [await ofMachine(), await ofMachine(), await ofMachine()]
  return { machines: ofEach, primary: await port(), http: await port() }
}

const secret = (): string => randomBytes(16).toString("hex")

/**
 * The programs of three machines, and one HAProxy in front of them. All except the Surety nodes start with a
 * configuration from `deploy/ha`.
 */
export class Machines {
  readonly operatorToken = `op_${secret()}`
  /** The most recently started process of each program, by name, such as `pg1`, `etcd2` or `node3`. */
  readonly running = new Map<string, Running>()
  readonly place: Place
  readonly #passwords = {
    postgres: secret(),
    replication: secret(),
    rewind: secret(),
    owner: secret(),
    server: secret()
  }
  readonly #secretsKey = randomBytes(32).toString("base64")
  readonly #programs: Programs
  readonly #ports: ReadonlyArray<Ports>
  readonly #primaryPort: number
  /** HAProxy's port for merchants. */
  readonly httpPort: number
  /** Additional environment variables for the nodes, for example to reach the merchant's webhook server. */
  readonly #environment: Values

  constructor(place: Place, programs: Programs, ports: AllPorts, environment: Values) {
    this.place = place
    this.#programs = programs
    this.#ports = ports.machines
    this.#primaryPort = ports.primary
    this.httpPort = ports.http
    this.#environment = environment
  }

  /** Base url for merchants. */
  get url(): string {
    return `http://${address}:${this.httpPort}`
  }

  portsOf(machine: number): Ports {
    const found = this.#ports[machine - 1]
    if (found === undefined) throw new Error(`There is no machine ${machine}`)
    return found
  }

  startEtcd(machine: number): void {
    const name = `etcd${machine}`
    const room = this.place.room(name)
    const { client, peer } = this.portsOf(machine)
    const config = this.place.configure(room, "etcd.yaml", {
      NAME: name,
      ADDRESS: address,
      DATA: path.join(room, "data"),
      CLIENT_PORT: String(client),
      PEER_PORT: String(peer),
      ETCD_CLUSTER: machines.map((each) => `etcd${each}=http://${address}:${this.portsOf(each).peer}`).join(",")
    })
    this.#start(name, [this.#programs.etcd, "--config-file", config])
  }

  startPatroni(machine: number): void {
    const name = `pg${machine}`
    const room = this.place.room(name)
    const { postgres, rest } = this.portsOf(machine)
    const config = this.place.configure(room, "patroni.yaml", {
      NAME: name,
      ADDRESS: address,
      PORT: String(postgres),
      REST_PORT: String(rest),
      ETCD_HOSTS: machines.map((each) => `${address}:${this.portsOf(each).client}`).join(","),
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

  startHaproxy(): void {
    const room = this.place.room("haproxy")
    const each = machines.flatMap((machine) => {
      const { node, postgres, rest } = this.portsOf(machine)
      return [
        [`PG${machine}_PORT`, String(postgres)],
        [`PG${machine}_REST_PORT`, String(rest)],
        [`NODE${machine}_PORT`, String(node)]
      ]
    })
    const config = this.place.configure(room, "haproxy.cfg", {
      ADDRESS: address,
      PRIMARY_PORT: String(this.#primaryPort),
      HTTP_PORT: String(this.httpPort),
      ...Object.fromEntries(each)
    })
    this.#start("haproxy", [this.#programs.haproxy, "-db", "-f", config])
  }

  startPgbouncer(machine: number): void {
    const name = `pgbouncer${machine}`
    const room = this.place.room(name)
    this.place.write(room, "userlist.txt", `"surety_server" "${this.#passwords.server}"\n`)
    const config = this.place.configure(room, "pgbouncer.ini", {
      ADDRESS: address,
      PORT: String(this.portsOf(machine).pgbouncer),
      PRIMARY_PORT: String(this.#primaryPort),
      DIRECTORY: room
    })
    this.#start(name, [this.#programs.pgbouncer, config])
  }

  startNode(machine: number): void {
    const { node, pgbouncer } = this.portsOf(machine)
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
    this.running.set(name, this.place.start(name, command, { asSelf, env }))
  }

  /** Creates the database, its two users and the tables. Connects to the primary through HAProxy, not PgBouncer. */
  async makeDatabase(): Promise<void> {
    await this.psql(this.#primaryPort, "postgres", ["--command", "create database surety"])
    await this.psql(this.#primaryPort, "surety", ["--file", path.join(root, "deploy", "database.sql")])
    const owner = `postgres://surety_owner:${this.#passwords.owner}@${address}:${this.#primaryPort}/surety`
    await run(process.execPath, [surety, "migrate", "--serve-as", "surety_server"], {
      env: { PATH: process.env.PATH ?? "", ...this.#settings(owner) }
    })
  }

  async psql(port: number, database: string, args: ReadonlyArray<string>): Promise<string> {
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

  /** Runs a `surety` command, connected through the PgBouncer of machine 1. Rejects unless it exits with 0. */
  surety(args: ReadonlyArray<string>): Promise<{ readonly stdout: string }> {
    const url = `postgres://surety_server:${this.#passwords.server}@${address}:${this.portsOf(1).pgbouncer}/surety`
    return run(process.execPath, [surety, ...args], { env: { PATH: process.env.PATH ?? "", ...this.#settings(url) } })
  }
}
