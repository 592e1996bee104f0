import { readdirSync, readFileSync } from "node:fs"
import pg from "pg"

/** Cost of calls to a server and its database. */
export interface Taken {
  /** Processor time in microseconds, like `databaseMicros`. Both are NaN except on Linux. */
  readonly serverMicros: number
  readonly databaseMicros: number
  /**
   * Shared buffer pages accessed by statements, except those that write the request log. The server writes the log in
   * the background for many requests at a time, so these accesses belong to no single call.
   */
  readonly buffers: number
}

const nanosOf = (file: string): number => {
  try {
    return Number(readFileSync(file, "utf8").split(" ")[0])
  } catch {
    // The thread or process has just ended.
    return 0
  }
}

const serverNanos = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + nanosOf(`/proc/${pid}/task/${thread}/schedstat`), 0)

interface Reading {
  readonly serverMicros: number
  readonly buffers: number
  /** Processor time by the process id of each connection. A connection that closes during metering is not counted. */
  readonly databaseMicros: ReadonlyMap<number, number>
}

/**
 * Measures the cost of calls to one server and its database, in processor time and pages. The cluster must have loaded
 * `pg_stat_statements`.
 */
export class Meter {
  readonly #client: pg.Client
  readonly #pid: number

  private constructor(client: pg.Client, pid: number) {
    this.#client = client
    this.#pid = pid
  }

  static async open(databaseUrl: string, pid: number): Promise<Meter> {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    await client.query("create extension if not exists pg_stat_statements schema public")
    return new Meter(client, pid)
  }

  async #read(): Promise<Reading> {
    const { rows } = await this.#client.query<{
      readonly buffers: string
      readonly pids: ReadonlyArray<number> | null
    }>(
      `select (
          select coalesce(sum(s.shared_blks_hit + s.shared_blks_read), 0)::text from public.pg_stat_statements s
          where s.dbid = d.oid and s.query not like '%pg_stat_statements%' and s.query not like '%append_requests%'
        ) as buffers,
        (select array_agg(a.pid) from pg_stat_activity a
          where a.datid = d.oid and a.pid <> pg_backend_pid() and a.backend_type = 'client backend') as pids
       from pg_database d where d.datname = current_database()`
    )
    const [row] = rows
    const isLinux = process.platform === "linux"
    const pids = row?.pids ?? []
    return {
      serverMicros: isLinux ? serverNanos(this.#pid) / 1000 : Number.NaN,
      databaseMicros: new Map(
        pids.map((pid) => [pid, isLinux ? nanosOf(`/proc/${pid}/schedstat`) / 1000 : Number.NaN])
      ),
      buffers: Number(row?.buffers ?? Number.NaN)
    }
  }

  /** Starts metering and returns a function that reads the usage since the start. */
  async start(): Promise<() => Promise<Taken>> {
    const before = await this.#read()
    return async () => {
      const after = await this.#read()
      return {
        serverMicros: after.serverMicros - before.serverMicros,
        databaseMicros: [...after.databaseMicros].reduce(
          (sum, [pid, micros]) => sum + micros - (before.databaseMicros.get(pid) ?? 0),
          0
        ),
        buffers: after.buffers - before.buffers
      }
    }
  }

  /**
   * Returns the statements, at most five, that accessed the most pages since the previous call. Resets the statistics,
   * so do not call it while a measurement runs.
   */
  async statements(): Promise<ReadonlyArray<string>> {
    const { rows } = await this.#client.query<{ readonly text: string }>(
      `select round((s.shared_blks_hit + s.shared_blks_read) / s.calls) || ' pages, ' || s.calls || ' times: '
          || regexp_replace(s.query, '\\s+', ' ', 'g') as text
       from public.pg_stat_statements s join pg_database d on d.oid = s.dbid
       where d.datname = current_database() and s.query not like '%pg_stat_statements%' and s.calls > 0
       order by (s.shared_blks_hit + s.shared_blks_read) desc limit 5`
    )
    await this.#client.query(
      "select public.pg_stat_statements_reset(0, (select oid from pg_database where datname = current_database()), 0)"
    )
    return rows.map(({ text }) => text)
  }

  close(): Promise<void> {
    return this.#client.end()
  }
}
