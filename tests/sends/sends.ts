import { parseArgs } from 'node:util'
import { createPool } from '../../backend/postgres/connections/pool.ts'
import { speakEnglish } from '../law/home/speakEnglish.ts'
import { startServer, temporaryData } from '../support/server.ts'
import { gather } from './people.ts'
import { closeConnections } from './post.ts'
import { runCrowd } from './runCrowd.ts'
import { runSends } from './runSends.ts'

/**
 * `npm run sends -- --sends N --clients N --rounds N`: sends under mishaps, then a crowd at once. The last line:
 * `{"sends", "rows", "holes", "misordered"}`. Answers 0 where each is there once, in order, without a hole.
 */
export async function main(args: string[], root: string): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      sends: { type: 'string', default: '1000' },
      clients: { type: 'string', default: '100' },
      rounds: { type: 'string', default: '2' },
    },
  })
  const [sends, clients, rounds] = [values.sends, values.clients, values.rounds].map(Number) as [
    number,
    number,
    number,
  ]
  if (!(sends >= 1) || !(clients >= 2) || !(rounds >= 0)) {
    console.error('Usage: npm run sends -- [--sends N] [--clients N] [--rounds N]')
    return 2
  }
  speakEnglish()
  const data = temporaryData()
  const server = await startServer({ root, dataDir: data.dir, args: ['--no-app'] })
  const admin = createPool({ connectionString: server.dbUrl }, { max: 1, name: 'sends' })
  try {
    const { workspace, lobby, people } = await gather(server, admin, clients)
    const began = performance.now()
    const report = await runSends(admin, { workspace, people: people.slice(0, 20), sends })
    const seconds = (performance.now() - began) / 1_000
    console.log(`${sends} sends by ${Math.min(20, clients)} people: ${Math.round(sends / seconds)} a second`)
    const crowd = await runCrowd(admin, { workspace, lobby, people, rounds })
    const { refused, faults, holes, ...figures } = crowd
    console.log(`crowd: ${JSON.stringify(figures)}`)
    console.log(`refused: ${JSON.stringify(refused)}`)
    const wrong = [...report.holes, ...report.misordered, ...faults, ...holes]
    for (const line of wrong.slice(0, 20)) console.log(line)
    const { rows } = report
    console.log(
      JSON.stringify({
        sends,
        rows,
        holes: report.holes.length + holes.length,
        misordered: report.misordered.length,
      }),
    )
    return rows === sends && wrong.length === 0 && crowd.deadlocks === 0 ? 0 : 1
  } finally {
    closeConnections()
    await admin.end()
    await server.end('SIGTERM')
    data.remove()
  }
}
