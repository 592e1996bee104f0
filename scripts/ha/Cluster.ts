import { existsSync, readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { address, choosePorts, Machines, machines } from "./Machines.ts"
import type { Place } from "./Place.ts"
import type { Programs } from "./Programs.ts"
import { until } from "./waiting.ts"

/** Seconds that the simulated supervisor waits before a restart, as systemd does with `RestartSec=5`. */
const restartSeconds = 5

/** A member of the PostgreSQL cluster, as Patroni's API reports it. */
interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
  readonly lag?: number | string
}

export interface Stored {
  readonly name: string
  readonly refunds: number
}

const ask = async <A>(port: number, pathname: string, body?: object): Promise<A> => {
  const answer = await fetch(`http://${address}:${port}${pathname}`, {
    signal: AbortSignal.timeout(5_000),
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
  })
  if (!answer.ok) throw new Error(`${pathname} responded ${answer.status}`)
  return (await answer.json()) as A
}

/** Three simulated machines on one real machine. Each runs etcd, Patroni, PostgreSQL, PgBouncer and a node. */
export class Cluster {
  readonly #machines: Machines
  /** Killed programs that have not been restarted yet. */
  readonly #away = new Set<string>()

  private constructor(machines: Machines) {
    this.#machines = machines
  }

  /** Starts all programs layer by layer. Calls `tell` as each layer comes up. */
  static async start(
    place: Place,
    programs: Programs,
    environment: Readonly<Record<string, string>>,
    tell: (line: string) => void
  ): Promise<Cluster> {
    const cluster = new Cluster(new Machines(place, programs, await choosePorts(), environment))
    await cluster.#bringUp(tell)
    return cluster
  }

  get url(): string {
    return this.#machines.url
  }

  get operatorToken(): string {
    return this.#machines.operatorToken
  }

  async #bringUp(tell: (line: string) => void): Promise<void> {
    for (const machine of machines) this.#machines.startEtcd(machine)
    await until("etcd's leader", 60, async () => ((await this.etcdLeader()) === undefined ? undefined : true))
    tell("etcd: three members")
    for (const machine of machines) this.#machines.startPatroni(machine)
    this.#machines.startHaproxy()
    await this.untilReplicated(180)
    tell(`PostgreSQL: ${await this.describe()}`)
    await this.#machines.makeDatabase()
    for (const machine of machines) this.#machines.startPgbouncer(machine)
    for (const machine of machines) this.#machines.startNode(machine)
    await this.untilReady(120)
    // HAProxy checks each node every two seconds, so it may not yet know that a node is ready.
    await until("HAProxy to serve a node", 30, async () => {
      await ask(this.#machines.httpPort, "/readyz")
      return true
    })
    tell("Surety: three nodes, each behind its PgBouncer in transaction mode")
  }

  /** Returns the members of the PostgreSQL cluster, as reported by the first Patroni to respond. */
  async #members(): Promise<ReadonlyArray<Member>> {
    const asked = machines.map((machine) =>
      ask<{ readonly members: ReadonlyArray<Member> }>(this.#machines.portsOf(machine).rest, "/cluster")
    )
    return (await Promise.any(asked)).members
  }

  /** Returns each PostgreSQL server's name and role: `pg1 leader, pg2 sync standby, pg3 replica`. */
  async describe(): Promise<string> {
    return (await this.#members()).map(({ name, role }) => `${name} ${role.replaceAll("_", " ")}`).join(", ")
  }

  /** Waits for a primary, a synchronous standby and a third server, all of them running or streaming. */
  untilReplicated(withinSeconds: number): Promise<true> {
    return until("a primary and two standbys", withinSeconds, async () => {
      // After a kill, etcd still holds the killed server's last state. Patroni's reports are thus ignored until all
      // programs have been restarted.
      if (this.#away.size > 0) return undefined
      const members = await this.#members()
      const roles = members.filter(({ state }) => state === "running" || state === "streaming").map(({ role }) => role)
      return roles.includes("leader") && roles.includes("sync_standby") && roles.length === 3 ? true : undefined
    })
  }

  untilReady(withinSeconds: number): Promise<unknown> {
    return Promise.all(
      machines.map((machine) =>
        until(`node${machine} to be ready`, withinSeconds, async () => {
          await ask(this.#machines.portsOf(machine).node, "/readyz")
          return true
        })
      )
    )
  }

  /** Returns the machine whose etcd claims to be the leader, or `undefined` if none does. */
  async etcdLeader(): Promise<number | undefined> {
    interface Status {
      readonly leader?: string
      readonly header: { readonly member_id: string }
    }
    for (const machine of machines) {
      const status = await ask<Status>(this.#machines.portsOf(machine).client, "/v3/maintenance/status", {}).catch(
        () => undefined
      )
      if (status?.leader !== undefined && status.leader !== "0" && status.leader === status.header.member_id)
        return machine
    }
    return undefined
  }

  /** Kills the primary's Patroni and all its PostgreSQL processes together. Returns the server's name. */
  async killPrimary(): Promise<string> {
    const leader = (await this.#members()).find(({ role }) => role === "leader")
    const machine = machines.find((each) => `pg${each}` === leader?.name)
    if (machine === undefined) throw new Error("There is no primary to kill")
    const name = `pg${machine}`
    this.#away.add(name)
    const processes = postgresOf(path.join(this.#machines.place.directory, name, "data"))
    this.#machines.running.get(name)?.kill()
    for (const pid of processes) killQuietly(pid)
    // Patroni restarts only after another server is primary. Otherwise it would come back before the leader lock
    // expires, and simply continue as primary.
    void until("a new primary", 120, async () => {
      const primary = (await this.#members()).find(({ role, state }) => role === "leader" && state === "running")
      return primary === undefined || primary.name === name ? undefined : true
    }).then(
      () => this.#later(name, () => this.#machines.startPatroni(machine)),
      () => {} // the rehearsal waits for three members and fails if any is missing
    )
    return name
  }

  async killEtcdLeader(): Promise<string> {
    const machine = await until("etcd's leader", 30, () => this.etcdLeader())
    const name = `etcd${machine}`
    this.#machines.running.get(name)?.kill()
    this.#later(name, () => this.#machines.startEtcd(machine))
    return name
  }

  async killNode(machine: number): Promise<string> {
    const name = `node${machine}`
    this.#machines.running.get(name)?.kill()
    this.#later(name, () => this.#machines.startNode(machine))
    return name
  }

  /** Restarts a program `restartSeconds` after this call, or after the program's end if that is later. */
  #later(name: string, start: () => void): void {
    this.#away.add(name)
    const again = (): void => {
      start()
      this.#away.delete(name)
    }
    void this.#machines.running.get(name)?.ended.then(() => setTimeout(again, restartSeconds * 1_000).unref())
  }

  /** Runs `surety verify`, which connects through a PgBouncer as nodes do. Returns its result and output. */
  async verify(): Promise<{ readonly isClean: boolean; readonly said: string }> {
    return this.#machines.surety(["verify"]).then(
      ({ stdout }) => ({ isClean: true, said: stdout.trim() }),
      (error: { readonly stdout?: string; readonly stderr?: string }) => ({
        isClean: false,
        said: `${error.stdout ?? ""}${error.stderr ?? ""}`.trim()
      })
    )
  }

  /** Counts the refunds on each PostgreSQL server, connecting directly. */
  stored(): Promise<ReadonlyArray<Stored>> {
    return Promise.all(
      machines.map(async (machine) => ({
        name: `pg${machine}`,
        refunds: Number(
          await this.#machines.psql(this.#machines.portsOf(machine).postgres, "surety", [
            "--command",
            "select count(*) from surety.refund"
          ])
        )
      }))
    )
  }
}

/** Returns the process ids of this data directory's postmaster and its children. */
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
    return undefined // the process has ended in the meantime
  }
}

const killQuietly = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // The process has ended in the meantime.
  }
}
