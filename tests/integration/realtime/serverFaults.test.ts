import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { SignJWT } from 'jose'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { reconnectAfterMs } from '../../../app/data/client/reconnectAfterMs.ts'
import { createPool, type Pool } from '../../../backend/postgres/connections/pool.ts'
import { createRandom, testSeed } from '../../support/random.ts'
import { startServer, temporaryData, type Server } from '../../support/server.ts'
import { fillLinnetData } from '../../../supabase/tests/support/linnetData.ts'
import { openLedger, type Ledger } from './ledger.ts'
import type { LedgerReader } from './LedgerReader.ts'
import { joined } from './channelEvents.ts'
import { startReaders, runWithFault } from './ledgerWorkload.ts'

const root = join(import.meta.dirname, '../../..')
const sockets = Number(process.env['LINNET_SOCKETS'] ?? 200)

const signals = ['SIGTERM', 'SIGKILL'] as const
const topicsOf = (signal: string): string[] => [0, 1, 2, 3].map((at) => `ledger:${signal}-${at}`)

let data: ReturnType<typeof temporaryData>
let server: Server
let pool: Pool
let ledger: Ledger

beforeAll(async () => {
  data = temporaryData()
  await fillLinnetData(data.dir)
  server = await startServer({ root, dataDir: data.dir, args: ['--no-app'] })
  pool = createPool({ connectionString: server.dbUrl }, { max: 12, name: 'ledger' })
  ledger = await openLedger(pool, signals.flatMap(topicsOf))
})
afterAll(async () => {
  await pool?.end()
  await server?.end('SIGTERM')
  data?.remove()
})

async function person(): Promise<{ token: string }> {
  const token = await new SignJWT({ sub: crypto.randomUUID(), role: 'authenticated' })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(server.jwtSecret))
  return { token }
}

/** realtime-js, set as the app sets it. */
async function officialClient(topic: string): Promise<{ client: SupabaseClient; lines: unknown[] }> {
  const { token } = await person()
  const client = createClient(server.url, server.anonKey, {
    accessToken: async () => token,
    realtime: { transport: WebSocket as never, reconnectAfterMs },
  })
  await client.realtime.setAuth()
  const lines: unknown[] = []
  const channel = client.channel(topic, { config: { private: true } })
  channel.on('broadcast', { event: 'line' }, ({ payload }) => lines.push(payload))
  await joined(channel)
  return { client, lines }
}

/** How many of those who came back did so in the fullest 100 ms. */
function fullest(readers: LedgerReader[]): number {
  const times = readers.map((reader) => reader.connectedAt.at(-1)!)
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 100).length))
}

describe('the server, while people write and read, is', () => {
  it.each(signals)(
    'ended by %s and restarted: clients reconnect, and nothing is lost, repeated or reordered',
    async (signal) => {
      const topics = topicsOf(signal)
      const { url, anonKey } = server
      const readers = await startReaders({ url, anonKey, person }, ledger, {
        topics,
        count: sockets,
        comeBackAfterMs: reconnectAfterMs,
      })
      const official = await officialClient(topics[0]!)
      const restart = async (): Promise<void> => {
        await server.end(signal)
        const port = new URL(url).port
        server = await startServer({ root, dataDir: data.dir, args: ['--no-app', '--port', port] })
      }
      const { transcripts, hearings, servedMs } = await runWithFault(restart, {
        ledger,
        readers,
        topics,
        chance: createRandom(testSeed),
      })
      console.info(
        `seed ${testSeed}, ${signal}: all ${sockets} sockets served after ${servedMs} ms, ` +
          `${fullest(readers)} of them came back within the same 100 ms`,
      )
      expect(transcripts).toEqual([])
      expect(hearings).toEqual([])
      // The official client has no retry of the test: the library has to reconnect by itself.
      const lines = official.lines.length
      const insertMessage = async (): Promise<number> => {
        await ledger.write([topics[0]!], crypto.randomUUID())
        return official.lines.length
      }
      await expect.poll(insertMessage, { interval: 200 }).toBeGreaterThan(lines)
      await official.client.realtime.disconnect()
    },
  )
})
