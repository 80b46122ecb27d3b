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
import type { BenchRow, BenchTable } from './table.ts'

const maxMembers = 5_000

/**
 * One channel of Linnet: messages are stored by `send_message` and published to members whose permission is checked by
 * policies. A second process has the sockets and senders; the same subscribers connect to `ws` alone, alternately.
 */
export async function run(): Promise<BenchTable> {
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
    const stage: Setup = { loader, ours: linnet(server, channel), bare }
    const rows: BenchRow[] = []
    for (const measured of [
      // First, before there is freed memory that could be reused.
      () => measureIdle(stage, [2_000, maxMembers]),
      () => measureReconnect(stage, 1_000),
      () => measureLatency(stage, [100, 500, 1_000]),
      () => measureMaxRate(stage, 500),
    ]) {
      rows.push(...(await measured()))
      // Progress, since it takes minutes on a busy machine.
      process.stderr.write(`${rows.at(-1)!.what}: measured\n`)
    }
    return { name: 'realtime', rows }
  } finally {
    for (const end of ending.reverse()) await end()
  }
}
