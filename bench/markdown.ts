import { parseBody } from '../app/features/message/body/parseBody.ts'
import { createRandom, type Random } from '../tests/support/random.ts'
import type { BenchRow, BenchTable } from './table.ts'

/** The longest message. */
const maxCharacters = 20_000
const goalMs = 50

/** What rules of Markdown begin, end or look for, and what lies between. */
const fragments =
  '* ** *** _ __ ~~ ~ ` ``` [ ] ( ) ]( ![ < > | - |-| # ! & \\ = === --- : . @ \' " <a </a> <!-- <? <![CDATA[ &amp; a 潮 ' +
  '[a]: [^ http://a www.a a@b.c <!channel>'
const blocks = ['- ', '* ', '+ ', '> ', '# ', '1. ', '- [ ] ', ' ', '    ', '\t', '\n', '\n\n', '\r']
const all = [...fragments.split(' '), ...blocks]

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

interface Measured {
  text: string
  ms: number
}

const fill = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length)

/** A text whose parts repeat, which is what makes a parser quadratic. */
function adversarialText(random: Random): string {
  const unit = (): string => Array.from({ length: 1 + random.below(6) }, () => random.pick(all)).join('')
  switch (random.below(5)) {
    case 0:
      return fill(unit(), maxCharacters)
    case 1:
      return fill(unit(), maxCharacters / 2) + fill(unit(), maxCharacters / 2)
    case 2: {
      const line = fill(unit(), 2 + random.below(900)) + random.pick(['\n', '\n\n'])
      return fill(line, maxCharacters)
    }
    case 3:
      return (unit() + fill(unit(), maxCharacters)).slice(0, maxCharacters - 10) + unit().slice(0, 10)
    default:
      return fill(Array.from({ length: 10_000 }, () => random.pick(all)).join(''), maxCharacters)
  }
}

/** The same text with another fragment inserted at regular distances. */
function mutate(text: string, random: Random): string {
  const length = 1 + random.below(1_000)
  const parts = text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? []
  return fill(parts.join(random.pick(all)), maxCharacters)
}

/**
 * Processor time, so that other processes of the machine do not count; the shorter of two times, so that collecting
 * the garbage of earlier texts does not.
 */
function measure(text: string): Measured {
  const times = [0, 1].map(() => {
    const before = process.cpuUsage()
    parseBody(text)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  })
  return { text, ms: Math.min(...times) }
}

/** What the Markdown of the longest messages costs a reader's page, for random texts and variations of the slowest. */
export function run(): Promise<BenchTable> {
  const random = createRandom(Number(process.env['LINNET_SEED'] ?? 1))
  for (const unit of slow) measure(fill(unit, maxCharacters))
  const times: number[] = []
  let slowest: Measured[] = []
  const add = (texts: string[]): void => {
    const measured = texts.map(measure)
    times.push(...measured.map(({ ms }) => ms))
    slowest = [...slowest, ...measured].toSorted((a, b) => b.ms - a.ms).slice(0, 50)
  }
  add(slow.map((unit) => fill(unit, maxCharacters)))
  for (let n = 0; n < 10; n++) add(Array.from({ length: 100 }, () => adversarialText(random)))
  for (let n = 0; n < 10; n++) add(slowest.map(({ text }) => mutate(text, random)))
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
  return Promise.resolve({ name: 'markdown', rows: [row], summary: { p999Ms: p999, maxMs: max } })
}
