import { Client } from 'pg'
import type { ClientConfig } from 'pg'
import type { Log } from '../../log.ts'
import type { Pool } from '../../postgres/pool.ts'
import { errors } from '../errors.ts'
import { loadSchemaCache } from './loadSchemaCache.ts'
import type { SchemaCache } from './schemaCache.ts'

const CHANNEL = 'pgrst'
/** A request at start waits this long for the first cache before it is told to come back. */
const FIRST_LOAD_PATIENCE_MS = 3_000
const LONGEST_PAUSE_MS = 10_000

export interface HolderOptions {
  pool: Pool
  /** For a connection of its own, which listens. */
  listen: ClientConfig
  schemas: string[]
  /** Schemas whose views may lie beneath an exposed one. */
  extraSearchPath: string[]
  log: Log
}

/**
 * Keeps the newest whole cache. It is read again when the database says `NOTIFY pgrst, 'reload schema'`
 * (its event triggers do so on DDL), and after a lost connection, which may have missed that.
 */
export class SchemaCacheHolder {
  #current: SchemaCache | null = null
  #loading: Promise<void> | null = null
  #wantsAnother = false
  #closed = false
  #listener: Client | null = null
  #retry: NodeJS.Timeout | undefined
  #failures = 0
  readonly #o: HolderOptions

  constructor(o: HolderOptions) {
    this.#o = o
    void this.#listen()
  }

  /** The cache; before the first is there, waits a little for it. Throws PGRST002. */
  async get(): Promise<SchemaCache> {
    if (this.#current) return this.#current
    const loading = this.#loading ?? this.reload()
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise((resolve) => (timer = setTimeout(resolve, FIRST_LOAD_PATIENCE_MS)))
    await Promise.race([loading.catch(() => {}), patience])
    clearTimeout(timer)
    if (!this.#current) throw errors.noSchemaCache()
    return this.#current
  }

  /** The cache if it is there: the way without a promise. */
  get current(): SchemaCache | null {
    return this.#current
  }

  /** Reads the schema anew; asked during a reading, once more after it. Rejects when the last one failed. */
  reload(): Promise<void> {
    if (this.#loading) {
      this.#wantsAnother = true
      return this.#loading
    }
    this.#loading = this.#load().finally(() => (this.#loading = null))
    return this.#loading
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    await this.#loading?.catch(() => {})
    await this.#listener?.end().catch(() => {})
  }

  async #load(): Promise<void> {
    do {
      this.#wantsAnother = false
      this.#current = await loadSchemaCache(this.#o.pool, this.#o)
    } while (this.#wantsAnother && !this.#closed)
  }

  async #listen(): Promise<void> {
    const client = new Client({ ...this.#o.listen, application_name: 'rest listener' })
    this.#listener = client
    let isLost = false
    const lose = (error?: Error): void => {
      if (isLost || this.#closed) return
      isLost = true
      const pause = Math.min(100 * 2 ** this.#failures++, LONGEST_PAUSE_MS)
      this.#o.log.warn('schema cache lost its listener', { error: error?.message, retryMs: pause })
      this.#retry = setTimeout(() => void this.#listen(), pause)
    }
    client.on('error', lose)
    client.on('end', () => lose())
    client.on('notification', ({ payload }) => {
      if (payload === '' || payload === 'reload schema') this.#reloadInBackground()
    })
    try {
      await client.connect()
      await client.query(`listen ${CHANNEL}`)
      await this.reload()
      this.#failures = 0
    } catch (error) {
      lose(error as Error)
      await client.end().catch(() => {})
    }
  }

  #reloadInBackground(): void {
    this.reload().catch((error: Error) => {
      this.#o.log.warn('schema cache not reloaded', { error: error.message })
      if (this.#closed) return
      clearTimeout(this.#retry)
      this.#retry = setTimeout(() => this.#reloadInBackground(), 1_000)
    })
  }
}
