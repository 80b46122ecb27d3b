import { Pool } from 'pg'
import { startServer, temporaryData, type Server } from '../tests/support/server.ts'
import { openWorker } from './load/openWorker.ts'
import { linnet, startBareWs } from './realtime/contenders.ts'
import type { RealtimeResult, RealtimeTask } from './realtime/loader.ts'
import {
  measureLatency,
  measureIdle,
  measureMaxRate,
  measureReconnect,
  type Setup,
} from './realtime/measure.ts'
import { createChannel } from './realtime/createChannel.ts'
import type { AddRow } from './table.ts'

export const timeoutMs = 600_000

const maxMembers = 5_000

/**
 * One channel of Linnet: messages are stored by `send_message` and published to members whose permission is checked by
 * policies. A second process has the sockets and senders; the same subscribers connect to `ws` alone, alternately. The part
 * `peers` compares with ejabberd.
 */
export async function run(add: AddRow): Promise<void> {
  const root = process.cwd()
  const data = temporaryData()
  const ending: (() => unknown)[] = [() => data.remove()]
  const start = async (): Promise<Server> => {
    const server = await startServer({
      root,
      dataDir: data.dir,
      args: ['--no-app', '--db-port', '0'],
    })
    ending.push(() => server.end('SIGTERM'))
    return server
  }
  try {
    const server = await start()
    const pool = new Pool({ connectionString: server.dbUrl, max: 1 })
    const channel = await createChannel(pool, data.dir, maxMembers)
    await pool.end()
    const bare = await startBareWs(root)
    ending.push(() => bare.end())
    const loader = openWorker<RealtimeTask, RealtimeResult>(root, 'bench/realtime/loader.ts')
    ending.push(() => loader.close())
    const setup: Setup = { loader, ours: linnet(server, channel), other: bare, otherName: 'ws alone' }
    for (const measured of [
      // First, before there is freed memory that could be reused.
      () => measureIdle(setup, [2_000, maxMembers]),
      () => measureReconnect(setup, 1_000),
      () => measureLatency(setup, 100),
      () => measureLatency(setup, 500, { p50: '≤ 5 ms', p99: '≤ 20 ms' }),
      () => measureLatency(setup, 1_000),
      async () => [await measureMaxRate(setup, 500, { repetitions: 1 })],
    ]) {
      for (const row of await measured()) add(row)
    }
  } finally {
    for (const end of ending.reverse()) await end()
  }
}
