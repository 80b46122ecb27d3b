import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Pool } from 'pg'
import { startServer, temporaryData, type Server } from '../tests/support/server.ts'
import { listen, makeMembers, topic, writeRoom, type Listener, type Member } from './load/room.ts'
import type { BenchRow, BenchTable } from './table.ts'

const members = 500
const idleSockets = 1_000
const body = 'x'.repeat(300)

interface Load {
  sent: number
  heard: number
  latencies: Float64Array
  seconds: number
}

/** ejabberd with its archive on the same machine: what people would run instead (measured once, by hand). */
const ejabberd = { deliveries: 40_000, p50: 11, p99: 27 }

function residentBytes(pid: number): number {
  return (
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) * 1024
  )
}

function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Sends through `realtime.send`, one transaction a message, and waits until all is heard or 5 s are over. */
async function load(
  pool: Pool,
  o: { perSecond: number; seconds: number; start: (onMessage: (event: string) => void) => void },
): Promise<Load> {
  const total = o.perSecond * o.seconds
  const sentAt = new Float64Array(total)
  const latencies = new Float64Array(total * members)
  let heard = 0
  let done = (): void => {}
  const complete = new Promise<void>((resolve) => (done = resolve))
  let lastAt = 0
  o.start((event) => {
    lastAt = performance.now()
    latencies[heard++] = lastAt - sentAt[Number(event)]!
    if (heard === total * members) done()
  })
  const begun = performance.now()
  let next = 0
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(total, ((performance.now() - begun) / 1000) * o.perSecond)
      while (next < due) {
        sentAt[next] = performance.now()
        void pool.query({
          name: 'send',
          text: `select realtime.send($1, $2, $3, true)`,
          values: [{ body }, String(next), topic],
        })
        next++
      }
      if (next >= total) {
        clearInterval(timer)
        resolve()
      }
    }, 2)
  })
  await Promise.race([complete, new Promise((resolve) => setTimeout(resolve, 5_000))])
  return {
    sent: total,
    heard,
    latencies: latencies.subarray(0, heard).sort(),
    seconds: (lastAt - begun) / 1000,
  }
}

/** The highest rate at which nothing is lost and 99 of 100 arrive within a second. */
async function findMost(attempt: (perSecond: number) => Promise<Load>): Promise<number> {
  let best = 0
  const holds = ({ heard, sent, latencies }: Load): boolean =>
    heard === sent * members && quantile(latencies, 0.99) <= 1_000
  for (let perSecond = 100; perSecond <= 1_600; perSecond += 50) {
    let result = await attempt(perSecond)
    // Once more before it counts: something else on the machine may have had its turn.
    if (!holds(result)) result = await attempt(perSecond)
    if (!holds(result)) break
    best = Math.max(best, result.heard / result.seconds)
  }
  return best
}

async function measure(server: Server, pool: Pool): Promise<BenchRow[]> {
  const people = await makeMembers(server, pool, idleSockets)
  let onMessage: (event: string) => void = () => {}
  const open = (member: Member): Promise<Listener> => listen(server, member, (event) => onMessage(event))
  const connectAll = (): Promise<Listener[]> => Promise.all(people.map(open))

  // A first round warms the server up, so that what it keeps anyway is not counted for each socket.
  const warm = await connectAll()
  await Promise.all(warm.map((listener) => listener.join()))
  for (const { reader } of warm) reader.close()
  await new Promise((resolve) => setTimeout(resolve, 1_000))

  const before = residentBytes(server.pids.server)
  const reconnectAt = performance.now()
  const listeners = await connectAll()
  await Promise.all(listeners.map((listener) => listener.join()))
  const reconnect = performance.now() - reconnectAt
  const perSocket = (residentBytes(server.pids.server) - before) / idleSockets
  for (const { reader } of listeners.splice(members)) reader.close()

  const start = (hear: (event: string) => void): void => {
    onMessage = hear
  }
  await load(pool, { perSecond: 20, seconds: 2, start })
  const calm = await load(pool, { perSecond: 20, seconds: 10, start })
  const most = await findMost((perSecond) => load(pool, { perSecond, seconds: 3, start }))
  for (const { reader } of listeners) reader.close()

  const [p50, p99] = [quantile(calm.latencies, 0.5), quantile(calm.latencies, 0.99)]
  return [
    {
      what: `deliveries to ${members} members, nothing lost, p99 ≤ 1 s`,
      value: most,
      unit: '/s',
      ratio: most / ejabberd.deliveries,
      against: `ejabberd with its archive, ${ejabberd.deliveries}/s`,
    },
    {
      what: 'commit to socket at 20 messages/s, p50',
      value: p50,
      unit: 'ms',
      ratio: p50 / ejabberd.p50,
      against: `ejabberd, ${ejabberd.p50} ms`,
    },
    {
      what: 'commit to socket at 20 messages/s, p99',
      value: p99,
      unit: 'ms',
      ratio: p99 / ejabberd.p99,
      against: `ejabberd, ${ejabberd.p99} ms`,
    },
    {
      what: `${idleSockets} reconnect and join a topic each`,
      value: reconnect / 1000,
      unit: 's',
      ratio: reconnect / 900,
      against: '0.9 s, the most it may be',
    },
    {
      what: 'memory of a joined idle socket',
      value: perSocket / 1024,
      unit: 'KiB',
      ratio: perSocket / (16 * 1024),
      against: '16 KiB, the most it may be',
    },
  ]
}

/** One room: messages stored by `realtime.send` and told to raw sockets of this process by the server's. */
export async function run(): Promise<BenchTable> {
  const data = temporaryData()
  const supabase = join(data.dir, 'supabase')
  writeRoom(supabase)
  const server = await startServer({
    root: process.cwd(),
    dataDir: data.dir,
    args: ['--no-app', '--supabase', supabase],
  })
  const pool = new Pool({ connectionString: server.dbUrl, max: 4 })
  try {
    return { name: 'fanout', rows: await measure(server, pool) }
  } finally {
    await pool.end()
    await server.end('SIGTERM')
    data.remove()
  }
}
