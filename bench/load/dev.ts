import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Pool } from 'pg'
import { startServer, temporaryData } from '../../tests/support/server.ts'
import { listen, makeMembers, topic, writeRoom } from './room.ts'
const cpu = (pid: number | string): number => {
  const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(f[11]) + Number(f[12])) * 10
}
export async function main(args: string[]): Promise<number> {
  const data = temporaryData()
  const supabase = join(data.dir, 'supabase')
  writeRoom(supabase)
  const env = args[0] === 'prof' ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=/tmp/rtprof` } : {}
  const server = await startServer({
    root: '/work/main',
    dataDir: data.dir,
    args: ['--no-app', '--supabase', supabase],
    env,
  })
  const pool = new Pool({ connectionString: server.dbUrl, max: 4 })
  const people = await makeMembers(server, pool, 1000)
  let hear: (e: string) => void = () => {}
  for (let round = 0; round < 3; round++) {
    const c0 = cpu(server.pids.server),
      m0 = cpu('self'),
      t0 = performance.now()
    const ls = await Promise.all(people.map((p) => listen(server, p, (e) => hear(e))))
    const t1 = performance.now(),
      c1 = cpu(server.pids.server)
    await Promise.all(ls.map((l) => l.join()))
    console.log(
      'connect',
      Math.round(t1 - t0),
      'join',
      Math.round(performance.now() - t1),
      'server cpu connect',
      c1 - c0,
      'join',
      cpu(server.pids.server) - c1,
      'mine',
      cpu('self') - m0,
    )
    if (round < 2) {
      for (const l of ls) l.reader.close()
      await new Promise((r) => setTimeout(r, 500))
    } else {
      for (const l of ls.slice(500)) l.reader.close()
    }
  }
  for (const rate of [20, 20, 100, 200, 300, 400]) {
    let heard = 0
    const n = rate * 3
    const lat: number[] = []
    const at: number[] = []
    let done = (): void => {}
    const all = new Promise<void>((r) => (done = r))
    hear = (e) => {
      heard++
      lat.push(performance.now() - at[Number(e)]!)
      if (heard === n * 500) done()
    }
    const c0 = cpu(server.pids.server),
      m0 = cpu('self'),
      t0 = performance.now()
    let i = 0
    await new Promise<void>((r) => {
      const t = setInterval(() => {
        const due = Math.min(n, ((performance.now() - t0) / 1000) * rate)
        while (i < due) {
          at[i] = performance.now()
          void pool.query({
            name: 's',
            text: 'select realtime.send($1,$2,$3,true)',
            values: [{ body: 'x'.repeat(300) }, String(i), topic],
          })
          i++
        }
        if (i >= n) {
          clearInterval(t)
          r()
        }
      }, 2)
    })
    await Promise.race([all, new Promise((r) => setTimeout(r, 5000))])
    lat.sort((a, b) => a - b)
    const s = (performance.now() - t0) / 1000
    console.log(
      rate,
      'heard',
      heard,
      '/',
      n * 500,
      'p50',
      lat[lat.length >> 1]?.toFixed(1),
      'p99',
      lat[Math.floor(lat.length * 0.99)]?.toFixed(1),
      'secs',
      s.toFixed(2),
      'server cpu/delivery us',
      (((cpu(server.pids.server) - c0) * 1000) / heard).toFixed(2),
      'mine us',
      (((cpu('self') - m0) * 1000) / heard).toFixed(2),
    )
  }
  await pool.end()
  await server.end('SIGTERM')
  data.remove()
  return 0
}
