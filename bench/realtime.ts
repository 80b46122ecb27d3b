import { Pool } from 'pg'
import { startServer, temporaryData, type Server } from '../tests/support/server.ts'
import { openWorker } from './load/openWorker.ts'
import { linnet, startBareWs } from './realtime/contender.ts'
import type { RoomAnswer, RoomTask } from './realtime/loader.ts'
import { measureCalm, measureIdle, measureMost, measureReconnect, type Stage } from './realtime/measure.ts'
import { makeRoom } from './realtime/room.ts'
import type { BenchRow, BenchTable } from './table.ts'

const most = 5_000

/**
 * One room of Linnet: messages stored by `send_message`, told to members whose right to listen is asked of its
 * policies. Sockets and speakers are a second process; the same crowd then listens to `ws` alone, in turns.
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
    const room = await makeRoom(pool, data.dir, most)
    await pool.end()
    const bare = await startBareWs(root)
    ending.push(() => bare.end())
    const loader = openWorker<RoomTask, RoomAnswer>(root, 'bench/realtime/loader.ts')
    ending.push(() => loader.close())
    const stage: Stage = { loader, ours: linnet(server, room), bare }
    const rows: BenchRow[] = []
    for (const measured of [
      // First, while nothing that was freed is there to be used again.
      () => measureIdle(stage, [2_000, most]),
      () => measureReconnect(stage, 1_000),
      () => measureCalm(stage, [100, 500, 1_000]),
      () => measureMost(stage, 500),
    ]) {
      rows.push(...(await measured()))
      // It takes minutes on a busy machine, and may be stopped before its end.
      process.stderr.write(`${rows.at(-1)!.what}: measured\n`)
    }
    return { name: 'realtime', rows }
  } finally {
    for (const end of ending.reverse()) await end()
  }
}
