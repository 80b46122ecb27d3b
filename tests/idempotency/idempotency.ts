import { parseArgs } from 'node:util'
import { createPool } from '../../backend/postgres/connections/pool.ts'
import { activateEnglish } from '../support/activateEnglish.ts'
import { startServer, temporaryData } from '../support/server.ts'
import { fillLinnetData } from '../../supabase/tests/support/linnetData.ts'
import { createPeople } from './people.ts'
import { closeConnections } from './post.ts'
import { runConcurrentCommands } from './runConcurrentCommands.ts'
import { runSends } from './runSends.ts'

/**
 * `npm run idempotency -- --sends N --clients N --rounds N --seed S` sends messages under connection faults, then
 * runs concurrent commands. The last line is `{"sends", "rows", "gaps", "misordered"}`. Returns 0 if each message is
 * stored once, in order, without a gap.
 */
export async function main(args: string[], root: string): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      sends: { type: 'string', default: '1000' },
      clients: { type: 'string', default: '100' },
      rounds: { type: 'string', default: '2' },
      seed: { type: 'string', default: '1' },
    },
  })
  const [sends, clients, rounds, seed] = [values.sends, values.clients, values.rounds, values.seed].map(
    Number,
  ) as [number, number, number, number]
  if (!(sends >= 1) || !(clients >= 2) || !(rounds >= 0) || !Number.isInteger(seed)) {
    console.error('Usage: npm run idempotency -- [--sends N] [--clients N] [--rounds N] [--seed S]')
    return 2
  }
  activateEnglish()
  const data = temporaryData()
  await fillLinnetData(data.dir)
  const server = await startServer({ root, dataDir: data.dir, args: ['--no-app'] })
  const admin = createPool({ connectionString: server.dbUrl }, { max: 1, name: 'idempotency' })
  try {
    const { workspace, lobby, people } = await createPeople(server, admin, clients, seed)
    console.log(`seed ${seed}`)
    const began = performance.now()
    const report = await runSends(admin, { workspace, people: people.slice(0, 20), sends })
    const seconds = (performance.now() - began) / 1_000
    console.log(`${sends} sends by ${Math.min(20, clients)} people: ${Math.round(sends / seconds)} a second`)
    const concurrent = await runConcurrentCommands(admin, { workspace, lobby, people, rounds })
    const { refused, faults, gaps, ...metrics } = concurrent
    console.log(`concurrent commands: ${JSON.stringify(metrics)}`)
    console.log(`refused: ${JSON.stringify(refused)}`)
    const wrong = [...report.gaps, ...report.misordered, ...faults, ...gaps]
    for (const line of wrong.slice(0, 20)) console.log(line)
    const { rows } = report
    console.log(
      JSON.stringify({
        sends,
        rows,
        gaps: report.gaps.length + gaps.length,
        misordered: report.misordered.length,
      }),
    )
    return rows === sends && wrong.length === 0 && concurrent.deadlocks === 0 ? 0 : 1
  } finally {
    closeConnections()
    await admin.end()
    await server.end('SIGTERM')
    data.remove()
  }
}
