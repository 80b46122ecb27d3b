import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { migratePlatform } from '../../../backend/postgres/schema/migratePlatform.ts'
import { createPool, type Pool } from '../../../backend/postgres/connections/pool.ts'
import { createDataFromTemplate } from '../../../backend/postgres/server/createDataFromTemplate.ts'
import { startPostgres, type Postgres } from '../../../backend/postgres/server/startPostgres.ts'
import type { Hub, Message } from '../../../backend/realtime/hub.ts'
import { createMessageReader } from '../../../backend/realtime/wal/walMessage.ts'
import { createWalReader, type WalReader } from '../../../backend/realtime/wal/walReader.ts'
import { createRelay, type Relay } from '../../../backend/realtime/wal/relay.ts'

/** A message as published to the hub. */
export interface DeliveredMessage {
  id: string
  topic: string
  event: string
  /** JSON, or null for bytes. */
  payload: { n?: number } | null
  bytes: number
}

export interface WalReaderSettings {
  /** 64 MB by default. */
  maxLagBytes?: number
  /** Called with each message when it is published. */
  onEnded?: (topic: string, users: readonly string[]) => void
  onDelivered?: (delivered: DeliveredMessage) => void
}

/** A WAL reader like that of the service, with all messages it has published. */
export interface TestWalReader {
  reader: WalReader
  relay: Relay
  delivered: DeliveredMessage[]
  /** Warnings and errors that were logged. */
  warnings: string[]
  /** The reader's position at each call of `onGap`. */
  gapPositions: bigint[]
  /** How often messages were reported as lost. */
  lost(): number
  /** Resolves once a message of that event was published. */
  received(event: string): Promise<void>
  close(): Promise<void>
}

/** A separate PostgreSQL that can crash. */
export interface CrashingPostgres {
  /** Queries as `postgres`. */
  sql: Pool['query']
  /** Queries as the superuser. */
  admin: Pool['query']
  /** A session of `postgres`, for transactions that stay open. */
  session(): Promise<Client>
  read(o?: WalReaderSettings): Promise<TestWalReader>
  /** Kills it with SIGKILL and starts it again. */
  crash(): Promise<void>
  restart(): Promise<void>
  /** Terminates the WAL reader, and waits for it (5 s by default). */
  cutReaders(waitMs?: number): Promise<void>
  close(): Promise<void>
}

export async function startCrashingPostgres(): Promise<CrashingPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'linnet-log-'))
  await createDataFromTemplate(dataDir)
  let postgres: Postgres = await startPostgres({ dataDir })
  const admin = createPool(postgres.config('supabase_admin'), { max: 2, name: 'set-up' })
  await migratePlatform(admin)
  const writing = createPool(postgres.config('postgres'), { max: 10, name: 'tests' })
  const serving = createPool(postgres.config('supabase_realtime_admin'), { max: 4, name: 'realtime' })
  const sessions: Client[] = []
  const logs: TestWalReader[] = []

  return {
    sql: writing.query,
    admin: admin.query,
    async session() {
      const client = new Client(postgres.config('postgres'))
      client.on('error', () => {})
      await client.connect()
      sessions.push(client)
      return client
    },
    async read(o = {}) {
      const log = readLog(postgres, serving, o)
      logs.push(log)
      await log.reader.whenReady()
      return log
    },
    async crash() {
      process.kill(postgres.pid, 'SIGKILL')
      await postgres.exited
      postgres = await startPostgres({ dataDir })
    },
    async restart() {
      await postgres.stop()
      postgres = await startPostgres({ dataDir })
    },
    async cutReaders(waitMs = 5_000) {
      await admin.query(
        'select pg_terminate_backend(active_pid, $1) from pg_replication_slots where active',
        [waitMs],
      )
    },
    async close() {
      await Promise.all(logs.map((log) => log.close()))
      for (const session of sessions) session.end().catch(() => {})
      await Promise.all([admin.end(), writing.end(), serving.end()])
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function readLog(postgres: Postgres, pool: Pool, o: WalReaderSettings): TestWalReader {
  const delivered: DeliveredMessage[] = []
  const warnings: string[] = []
  const gapPositions: bigint[] = []
  let lost = 0
  let waiting: { event: string; resolve: () => void }[] = []
  const note = (event: string, fields?: Record<string, unknown>): void => {
    warnings.push(`${event} ${JSON.stringify(fields)}`)
  }
  const log = { info() {}, warn: note, error: note }
  const publish = (_key: string, topic: string, message: Message): void => {
    if (message.kind !== 'broadcast') return
    const { event, encoding, body, meta } = message.broadcast
    const payload =
      encoding === 'json' && body.length < 10_000 ? JSON.parse(Buffer.from(body).toString()) : null
    const one = { id: meta?.['id'] as string, topic, event, payload, bytes: body.length }
    delivered.push(one)
    o.onDelivered?.(one)
    for (const wait of waiting) if (wait.event === event) wait.resolve()
    waiting = waiting.filter((wait) => wait.event !== event)
  }
  const relay = createRelay({
    hub: { has: () => true, size: () => 1, publish } as unknown as Hub,
    pool,
    takeDatabaseEvents: () => true,
    maxPayloadBytes: 3_000_500,
    position: () => reader.position(),
    endSubscriptions: (topic, users) => o.onEnded?.(topic, users),
    onLost: () => (lost += 1),
    log,
  })
  const reader: WalReader = createWalReader({
    config: postgres.config('supabase_realtime_admin'),
    pool,
    publication: 'supabase_realtime_messages_publication',
    name: 'messages',
    maxLagBytes: o.maxLagBytes ?? 64 * 1024 * 1024,
    open() {
      const read = createMessageReader(() => {})
      return (data) => {
        const message = read(data)
        if (message) relay.publishFromWal(message)
      }
    },
    onGap() {
      gapPositions.push(reader.position())
      return relay.fillGap()
    },
    log,
  })
  return {
    reader,
    relay,
    delivered,
    warnings,
    gapPositions,
    lost: () => lost,
    received: (event) =>
      delivered.some((one) => one.event === event)
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ event, resolve })),
    async close() {
      relay.close()
      await reader.close()
    },
  }
}
