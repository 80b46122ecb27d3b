import {
  adversarialText,
  fillText,
  MAX_CHARACTERS,
  mutateText,
} from '../wire/body/testing/adversarialText.ts'
import { lexer } from 'marked'
import { createRandom } from '../tests/support/random.ts'
import type { BenchRow, BenchTable } from './table.ts'

const goalMs = 50
/** Maximum factor of the time of a text to the time of its half. */
const goalGrowth = 2.5
/** How often a text is parsed to measure its time. */
const repetitions = 15

interface Renderer {
  bodyTree: (body: string) => object[]
  unsafeParts: (trees: object[]) => string[]
}

/** Components of the app, which the types of the benches do not include. */
const renderers = import.meta.glob<Renderer>('../app/features/parts/body/testing/elementTree.ts')

/** Texts that were slow once: tables, emphasis, quotes, lists and links. */
const slow = [
  '|\n-\n',
  'a|b\n-|-\n',
  '_a',
  '**a*',
  '***a',
  '~~a',
  '![',
  '<',
  '>',
  '- ',
  '- a\n',
  '[a](',
  '`a``',
  'a@',
]

/** The parser of the app and of the Edge Functions, and the library that it replaced. */
const parsers = import.meta.glob<{ parseBody: (body: string) => object[] }>('../wire/body/parseBody.ts')

/** Messages as people write them. */
const ordinary = [
  'ok',
  'The van comes at **four**, not at five: see [the plan](https://example.org/plan).',
  'Who has the key? It should hang behind the desk, as always. Thanks to everybody who looked for it yesterday.',
  '- [ ] order gloves\n- [x] call the lab\n- [ ] count the keys',
  '> Who has the key?\n\nIt hangs behind the desk.',
  '```js\nconst rooms = beds.filter((bed) => bed.isFree)\nreturn rooms.length\n```',
]

interface Measured {
  text: string
  ms: number
}

/**
 * Measures the time to create the elements of a body, each text once, as a reader's browser renders it. It takes the
 * shorter of elapsed time and processor time. Other processes lengthen elapsed time, and processor time includes V8's
 * threads. Neither can be shorter than the time for which the page is blocked.
 */
function measure({ bodyTree, unsafeParts }: Renderer, text: string): Measured {
  const used = process.cpuUsage()
  const from = performance.now()
  const tree = bodyTree(text)
  const elapsed = performance.now() - from
  const { user, system } = process.cpuUsage(used)
  const [unsafe] = unsafeParts(tree)
  if (unsafe) throw new Error(`${unsafe} is rendered for ${JSON.stringify(text.slice(0, 300))}`)
  return { text, ms: Math.min(elapsed, (user + system) / 1_000) }
}

/** The least time of several to parse a text, in milliseconds. Processor time is too coarse for a few milliseconds. */
function parseTime(parse: (body: string) => unknown, text: string): number {
  return Math.min(
    ...Array.from({ length: repetitions }, () => {
      const from = performance.now()
      parse(text)
      return performance.now() - from
    }),
  )
}

/** Microseconds for one ordinary message. */
function ordinaryTime(parse: (body: string) => unknown): number {
  const all = () => {
    for (let round = 0; round < 200; round += 1) for (const body of ordinary) parse(body)
  }
  all()
  return (parseTime(all, '') * 1_000) / (200 * ordinary.length)
}

/**
 * Measures the cost of the longest messages for a reader's page, for random texts and variations of the slowest:
 * 2,000 texts, times `LINNET_RUNS`. It also measures how the time of the parser grows with the length of the slowest. `LINNET_SLOWEST` prints the slowest. It ends with an error if a text becomes an
 * element, attribute or address that messages do not have.
 */
export async function run(): Promise<BenchTable> {
  const renderer = await Object.values(renderers)[0]!()
  const random = createRandom(Number(process.env['LINNET_SEED'] ?? 1))
  const rounds = 10 * Number(process.env['LINNET_RUNS'] ?? 1)
  for (const unit of slow) measure(renderer, fillText(unit, MAX_CHARACTERS))
  const times: number[] = []
  let slowest: Measured[] = []
  const add = (texts: string[]): void => {
    const measured = texts.map((text) => measure(renderer, text))
    times.push(...measured.map(({ ms }) => ms))
    slowest = [...slowest, ...measured].toSorted((a, b) => b.ms - a.ms).slice(0, 50)
  }
  add(slow.map((unit) => fillText(unit, MAX_CHARACTERS)))
  for (let n = 0; n < rounds; n++) add(Array.from({ length: 100 }, () => adversarialText(random)))
  for (let n = 0; n < rounds; n++) add(slowest.concat(slowest).map(({ text }) => mutateText(text, random)))
  if (process.env['LINNET_SLOWEST']) {
    for (const { text, ms } of slowest.slice(0, 12))
      process.stderr.write(`${ms.toFixed(0)} ms ${JSON.stringify(text.slice(0, 150))}\n`)
  }
  times.sort((a, b) => a - b)
  const quantile = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))]!
  const [p50, p99, p999, max] = [0.5, 0.99, 0.999, 1].map(quantile) as [number, number, number, number]
  const row: BenchRow = {
    what: `Markdown of ${times.length} messages of 20,000 adversarial characters`,
    value: p999,
    unit: 'ms at p99.9',
    ratio: p999 / goalMs,
    against: `${goalMs} ms, the most it may be`,
    also: { p50, p99, max },
  }
  const { parseBody } = await Object.values(parsers)[0]!()
  // Texts with too many nodes are code, which takes less time.
  const isCode = (text: string) => (parseBody(text)[0] as { type?: string } | undefined)?.type === 'codeBlock'
  const growths = slowest
    .filter(({ text }) => !isCode(text))
    .map(({ text }) => ({
      half: parseTime(parseBody, text.slice(0, MAX_CHARACTERS / 2)),
      whole: parseTime(parseBody, text),
    }))
  const sumOf = (key: 'half' | 'whole') => growths.reduce((sum, one) => sum + one[key], 0)
  const growth = sumOf('whole') / sumOf('half')
  const growthRow: BenchRow = {
    what: `doubling the length of the ${growths.length} slowest texts`,
    value: growth,
    unit: '× the time',
    ratio: growth / goalGrowth,
    against: `${goalGrowth} ×, the most it may be`,
    also: {
      'ms of a half': sumOf('half') / growths.length,
      'ms of a whole': sumOf('whole') / growths.length,
    },
  }
  const value = ordinaryTime(parseBody)
  const against = ordinaryTime((body) => lexer(body, { gfm: true, breaks: true }))
  const ordinaryRow: BenchRow = {
    what: 'parsing an ordinary message',
    value,
    unit: 'µs',
    ratio: value / against,
    against: `${against.toFixed(1)} µs of marked`,
  }
  return { name: 'markdown', rows: [row, growthRow, ordinaryRow], summary: { p999Ms: p999, maxMs: max } }
}
