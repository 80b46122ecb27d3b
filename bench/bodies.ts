import { Client } from 'pg'
import { startServer, temporaryData } from '../tests/support/server.ts'
import { IN_PAGE } from './browse/inPage.ts'
import { openAs, openBrowser } from './scroll/openBrowser.ts'
import { percentile } from './scroll/inPage.ts'
import { seedLongChannel } from './scroll/seedLongChannel.ts'
import type { BenchTable } from './table.ts'

const MESSAGES = 50
const ROUNDS = 30
const LABEL = 'Messages in #mixed'

const bodies = [
  'The van comes at **four**, not at five: see [the plan](https://example.org/plan).',
  '```js\nconst rooms = beds.filter((bed) => bed.isFree)\nreturn rooms.length\n```',
  '| Room | Free |\n|---|---|\n| 12 | yes |\n| 14 | no |',
  '- [ ] order gloves\n- [x] call the lab\n- [ ] count the keys',
  'The dose is $d = \\frac{m}{V}$, as before.',
  'It was ||the *second* key|| after all.',
  '> Who has the key?\n\nIt hangs behind the desk.',
  Array.from({ length: 40 }, (_, line) => `Line ${line} of a long message`).join('\n'),
]

/**
 * Measures opening a conversation of 50 messages of mixed kinds from memory, beside a list of the same texts without
 * Markdown.
 */
export async function run(): Promise<BenchTable> {
  const data = temporaryData()
  const server = await startServer({
    root: process.cwd(),
    dataDir: data.dir,
    args: ['--app', '--demo', '--db-port', '0'],
  })
  const browser = await openBrowser()
  try {
    const plain = await seedLongChannel(server.dbUrl, MESSAGES, 'plain')
    const mixed = await seedLongChannel(server.dbUrl, MESSAGES, 'mixed')
    await setBodies(server.dbUrl, mixed)
    const page = await openAs(browser, server, 'ann')
    await page.goto(`${server.url}/c/${plain}`)
    await page.locator('[role=log][aria-label="Messages in #plain"] article').first().waitFor()
    await page.evaluate(`void (${IN_PAGE})`)
    const call = (text: string): Promise<number> => page.evaluate<number>(`globalThis.browsing.${text}`)
    const open = (id: string, label: string): Promise<number> =>
      call(`switchTo(${JSON.stringify(id)}, ${JSON.stringify(label)})`)
    const texts = Array.from({ length: MESSAGES }, (_, n) => bodies[n % bodies.length]!)
    // Loads the messages, and what their kinds need.
    await open(mixed, LABEL)
    await page.locator('math').first().waitFor()
    const ours: number[] = []
    const lists: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      await open(plain, 'Messages in #plain')
      ours.push(await open(mixed, LABEL))
      lists.push(await call(`showList(${JSON.stringify(texts)})`))
    }
    const [value, against] = [percentile(ours, 0.5), percentile(lists, 0.5)]
    return {
      name: 'bodies',
      rows: [
        {
          what: `opening ${MESSAGES} messages of mixed kinds, p50`,
          value,
          unit: 'ms',
          ratio: value / against,
          against: `${against.toFixed(1)} ms of a list of their texts`,
          also: { 'ms p95': percentile(ours, 0.95), 'ms p95 list': percentile(lists, 0.95) },
        },
      ],
    }
  } finally {
    await browser.close()
    await server.end('SIGTERM')
    data.remove()
  }
}

async function setBodies(dbUrl: string, channel: string): Promise<void> {
  const client = new Client(dbUrl)
  await client.connect()
  try {
    await client.query(
      `update public.messages set body = ($2::text[])[1 + (seq % cardinality($2::text[]))::int]
       where channel_id = $1 and seq is not null`,
      [channel, bodies],
    )
  } finally {
    await client.end()
  }
}
