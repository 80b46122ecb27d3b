import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { Pool } from 'pg'
import { startServer, temporaryData } from '../../tests/support/server.ts'
import { openWorker } from '../load/openWorker.ts'
import { cpuOf, cpuOfProcessTree } from '../load/usage.ts'
import type { BenchRow } from '../table.ts'
import { createTimedClient } from './callTimed.ts'
import { createWorkspace, type Caller } from './createWorkspace.ts'
import type { HerdResult, HerdServer, HerdTask } from './herdLoader.ts'

const CLIENTS = 1_000
const CHANNELS = 50
const MESSAGES_PER_SECOND = 5
/** The number of messages that are sent after the clients have stored their rows. */
const MESSAGES_BEFORE = 50
const GOAL_MS = 6_000

/** Sends messages to the channels in turn until it is stopped. It repeats no failed message. */
function sendMessages(server: HerdServer, { token }: Caller, channels: string[]): () => Promise<number> {
  const client = createTimedClient(server, token)
  const stopping = new AbortController()
  let sent = 0
  const running = (async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const next = setTimeout(1_000 / MESSAGES_PER_SECOND)
      await client
        .call('send_message', { id: randomUUID(), channel: channels[sent % channels.length], body: 'Ready.' })
        .then(() => sent++)
        .catch(() => {})
      await next
    }
  })()
  return async () => {
    stopping.abort()
    await running
    client.close()
    return sent
  }
}

/**
 * Measures the time from a restart of the server until the last of 1,000 clients has the rows of the server. All
 * clients connect at once while messages are sent. Each has 50 channels and the rows that it stored before.
 * @returns the rows, and that duration in ms
 */
export async function measureHerd(): Promise<{ rows: BenchRow[]; herdMs: number }> {
  const root = process.cwd()
  const data = temporaryData()
  const start = (): ReturnType<typeof startServer> =>
    startServer({ root, dataDir: data.dir, args: ['--no-app', '--db-port', '0'] })
  let server = await start()
  const loader = openWorker<HerdTask, HerdResult>(root, 'bench/client/herdLoader.ts')
  try {
    const pool = new Pool({ connectionString: server.dbUrl, max: 1 })
    const size = { people: CLIENTS, channels: CHANNELS, callers: CLIENTS }
    const { callers, channels } = await createWorkspace(pool, data.dir, size)
    await pool.end()
    await loader.run({ kind: 'store', server, callers })
    const author = createTimedClient(server, callers[0]!.token)
    for (let n = 0; n < MESSAGES_BEFORE; n++) {
      const args = { id: randomUUID(), channel: channels[n % channels.length], body: 'While you were away.' }
      await author.call('send_message', args)
    }
    author.close()
    await server.end('SIGTERM')
    const startedAt = performance.now()
    server = await start()
    const startMs = performance.now() - startedAt
    const database = new Pool({ connectionString: server.dbUrl, max: 1 })
    const { rows } = await database.query<{ channel_id: string; rev: string }>(
      'select channel_id, rev from public.channel_counters',
    )
    await database.end()
    const cpu = (): { server: number; database: number; clients: number } => ({
      server: cpuOf(server.pids.server),
      database: cpuOfProcessTree(server.pids.db),
      clients: cpuOf(loader.pid),
    })
    const stop = sendMessages(server, callers[0]!, channels)
    const before = cpu()
    const { current, joined, refused } = await loader.run({ kind: 'reconnect', server })
    const after = cpu()
    const sent = await stop()
    const { behind } = await loader.run({
      kind: 'finish',
      revs: rows.map((row) => [row.channel_id, Number(row.rev)]),
    })
    if (behind !== 0) throw new Error(`${behind} clients lack changes from before the restart.`)
    const herdMs = Math.max(...current!)
    const seconds = (ms: number): number => ms / 1_000
    return {
      herdMs,
      rows: [
        {
          what: `${CLIENTS.toLocaleString('en')} clients with ${CHANNELS} channels after a restart: rows up to date, last client`,
          value: seconds(herdMs),
          unit: 's',
          ratio: herdMs / GOAL_MS,
          against: `${GOAL_MS / 1_000} s, the most it may be`,
          also: {
            's until all topics are joined': seconds(Math.max(...joined!)),
            's until the server was ready': seconds(startMs),
            's CPU of the server': seconds(after.server - before.server),
            's CPU of PostgreSQL': seconds(after.database - before.database),
            's CPU of the clients': seconds(after.clients - before.clients),
            'messages sent meanwhile': sent,
            'refused and repeated': refused!,
          },
        },
      ],
    }
  } finally {
    await loader.close()
    await server.end('SIGTERM')
    data.remove()
  }
}
