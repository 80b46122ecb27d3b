import { Pool } from 'pg'
import { startServer, temporaryData } from '../tests/support/server.ts'
import { openWorker } from './load/openWorker.ts'
import { findEjabberd, startEjabberd } from './peers/startEjabberd.ts'
import { linnet } from './realtime/contenders.ts'
import { createChannel } from './realtime/createChannel.ts'
import type { RealtimeResult, RealtimeTask } from './realtime/loader.ts'
import { measureLatency, measureMaxRate, type Setup } from './realtime/measure.ts'
import type { AddRow } from './table.ts'

export const timeoutMs = 1_200_000

const members = 500
/** Members who send in turn, on each server. */
const senders = 20

/**
 * One channel of Linnet and one room of ejabberd that archives its messages in PostgreSQL, alternately, with the same
 * bodies: until a message that a member sends has arrived at all members. Linnet's members send by the data API.
 */
export async function run(add: AddRow): Promise<void> {
  const installation = findEjabberd()
  const root = process.cwd()
  const data = temporaryData()
  const ending: (() => unknown)[] = [() => data.remove()]
  try {
    const server = await startServer({ root, dataDir: data.dir, args: ['--no-app', '--db-port', '0'] })
    ending.push(() => server.end('SIGTERM'))
    const pool = new Pool({ connectionString: server.dbUrl, max: 1 })
    const channel = await createChannel(pool, data.dir, members)
    // Twenty people send what the whole channel would.
    await pool.query(`update public.settings set value = '{}' where key = 'rate_limits'`)
    await pool.end()
    const ejabberd = await startEjabberd(installation, { members, senders })
    ending.push(() => ejabberd.end())
    const loader = openWorker<RealtimeTask, RealtimeResult>(root, 'bench/realtime/loader.ts')
    ending.push(() => loader.close())
    const by = {
      apiUrl: server.url,
      publishableKey: server.publishableKey,
      channel: channel.channel,
      tokens: channel.members.slice(0, senders).map(({ token }) => token),
    }
    const setup: Setup = {
      loader,
      ours: { ...linnet(server, channel), openSender: { kind: 'speak', by } },
      other: ejabberd,
      otherName: `ejabberd ${ejabberd.version}`,
    }
    const half = '≤ 0.5×'
    for (const row of await measureLatency(setup, members, { p50: half, p95: half, p99: half })) add(row)
    if ((await ejabberd.countArchived()) === 0) throw new Error('ejabberd has not archived the messages.')
    add(await measureMaxRate(setup, members, { repetitions: 3, goal: '≥ 5×' }))
  } finally {
    for (const end of ending.reverse()) await end()
  }
}
