import type { Browser, CDPSession, Page } from '@playwright/test'
import { COMPOSER_FIELD } from '../app/ui/field.ts'
import { startServer, temporaryData, type Server } from '../tests/support/server.ts'
import { IN_PAGE } from './browse/inPage.ts'
import { measureEmojiPicker } from './browse/measureEmojiPicker.ts'
import { measureStart } from './browse/measureStart.ts'
import { openAs, openBrowser } from './scroll/openBrowser.ts'
import { percentile } from './scroll/inPage.ts'
import { seedLongChannel } from './scroll/seedLongChannel.ts'
import type { BenchRow, BenchTable } from './table.ts'

const CHANNELS = 50
const MESSAGES = 300
const SENT = 60

interface Channel {
  id: string
  label: string
}

/**
 * Measures everyday operations in real browsers with a real server: switching channels, sending and receiving
 * messages, opening the emoji picker, starting from the cache, and the memory of 50 visited channels.
 */
export async function run(): Promise<BenchTable> {
  const data = temporaryData()
  const server = await startServer({
    root: process.cwd(),
    dataDir: data.dir,
    args: ['--app', '--demo', '--db-port', '0'],
  })
  const browsers = await Promise.all([openBrowser(), openBrowser()])
  try {
    const channels: Channel[] = []
    for (let n = 1; n <= CHANNELS; n += 1) {
      const name = `ward-${n}`
      channels.push({
        id: await seedLongChannel(server.dbUrl, MESSAGES, name),
        label: `Messages in #${name}`,
      })
    }
    const ann = await openAs(browsers[0], server, 'ann')
    const rows = [
      ...(await measureSwitches(ann, server, channels)),
      ...(await measureSends(ann, browsers[1], server, channels[0]!)),
      await measureEmojiPicker(ann),
      await measureMemory(ann, server, channels),
      ...(await measureStart(ann, `${server.url}/c/${channels[0]!.id}`)),
    ]
    return { name: 'browse', rows }
  } finally {
    await Promise.all(browsers.map((browser) => browser.close()))
    await server.end('SIGTERM')
    data.remove()
  }
}

const goal = (value: number, max: number): Pick<BenchRow, 'ratio' | 'against'> => ({
  ratio: value / max,
  against: `${max} ms, the most it may be`,
})

async function openChannel(page: Page, server: Server, { id, label }: Channel): Promise<void> {
  await page.goto(`${server.url}/c/${id}`)
  await page.locator(`[role=log][aria-label="${label}"] article`).first().waitFor()
}

const switchTo = (page: Page, { id, label }: Channel): Promise<number> =>
  inPage<number>(page, `switchTo(${JSON.stringify(id)}, ${JSON.stringify(label)})`)

/** Opens every channel once with a fetch, and once more from memory. */
async function measureSwitches(page: Page, server: Server, channels: Channel[]): Promise<BenchRow[]> {
  await openChannel(page, server, channels[0]!)
  const rounds: number[][] = []
  for (const what of ['fetched', 'held']) {
    const times: number[] = []
    for (const channel of channels.slice(1)) {
      times.push(await switchTo(page, channel))
      // A pause, so that work triggered by one visit is not counted for the next.
      await page.waitForTimeout(what === 'held' ? 30 : 150)
    }
    rounds.push(times)
    await switchTo(page, channels[0]!)
  }
  const [fetched = [], cached = []] = rounds
  return [switchRow('words fetched', fetched, 150), switchRow('words held', cached, 50)]
}

function switchRow(what: string, times: number[], max: number): BenchRow {
  const value = percentile(times, 0.95)
  return {
    what: `channel switch, ${what}, p95`,
    value,
    unit: 'ms',
    ...goal(value, max),
    also: { 'ms p50': percentile(times, 0.5), 'ms most': Math.max(...times) },
  }
}

interface Echo {
  pressed: number
  frames: number
  drawn: number
}

/**
 * Measures a message that Ann sends and Bea receives in another browser: the time until Ann's page has painted it,
 * and until Bea sees it.
 */
async function measureSends(
  ann: Page,
  elsewhere: Browser,
  server: Server,
  channel: Channel,
): Promise<BenchRow[]> {
  const bea = await openAs(elsewhere, server, 'bea')
  await openChannel(bea, server, channel)
  await openChannel(ann, server, channel)
  const box = ann.locator(COMPOSER_FIELD).first()
  const echoes: Echo[] = []
  const ways: number[] = []
  for (let n = 0; n < SENT; n += 1) {
    const words = `The van left at ${n} o'clock`
    await box.fill(words)
    await inPage(ann, `watchEcho(${JSON.stringify(words)})`)
    const seen = inPage<number>(bea, `seen(${JSON.stringify(words)})`)
    await box.press('Enter')
    const echo = await inPage<Echo>(ann, 'echo()')
    echoes.push(echo)
    ways.push((await seen) - echo.pressed)
  }
  await bea.context().close()
  const frames = echoes.map((echo) => echo.frames)
  const drawn = echoes.map((echo) => echo.drawn - echo.pressed)
  const [p50, p99] = [percentile(ways, 0.5), percentile(ways, 0.99)]
  return [
    {
      what: 'own words after Enter, p99',
      value: percentile(frames, 0.99),
      unit: 'frames',
      ratio: percentile(frames, 0.99),
      against: '1 frame, the next',
      also: { 'frames p50': percentile(frames, 0.5), 'ms until drawn, p50': percentile(drawn, 0.5) },
    },
    { what: 'sent → seen in another browser, p50', value: p50, unit: 'ms', ...goal(p50, 50) },
    { what: 'sent → seen in another browser, p99', value: p99, unit: 'ms', ...goal(p99, 150) },
  ]
}

/** Returns the JavaScript heap in bytes after garbage collection. */
async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize / 1e6
}

/** Measures the memory of a tab after one channel, and after all of them. */
async function measureMemory(page: Page, server: Server, channels: Channel[]): Promise<BenchRow> {
  await openChannel(page, server, channels[0]!)
  await page.waitForTimeout(1_000)
  const session = await page.context().newCDPSession(page)
  const before = await heapOf(session)
  for (const channel of channels) await switchTo(page, channel)
  await switchTo(page, channels[0]!)
  await page.waitForTimeout(1_000)
  const after = await heapOf(session)
  const nodes = await page.evaluate<number>('document.querySelectorAll("*").length')
  await session.detach()
  return {
    what: `memory after ${CHANNELS} channels`,
    value: after,
    unit: 'MB',
    ratio: after / before,
    against: `${before.toFixed(1)} MB after one`,
    also: { elements: nodes },
  }
}

/** Evaluates a call in the page. */
async function inPage<T = void>(page: Page, call: string): Promise<T> {
  await page.evaluate(`void (${IN_PAGE})`)
  return page.evaluate<T>(`globalThis.browsing.${call}`)
}
