import type { CDPSession, Page } from '@playwright/test'
import { startServer, temporaryData } from '../tests/support/server.ts'
import { openAs, openBrowser } from './scroll/openBrowser.ts'
import { IN_PAGE, percentile, type Frames } from './scroll/inPage.ts'
import { seedLongChannel } from './scroll/seedLongChannel.ts'
import type { BenchTable } from './table.ts'

const MESSAGES = 100_000
/** The speed of a hard fling in pixels a second. */
const FLING = 8_000
const ROUNDS = 3
/** The distance of one fling in pixels, up and down again. */
const FLING_DISTANCE = 24_000
/**
 * The number of messages that are scrolled past, up from the newest. It is more than ten times the number in memory.
 */
const SCROLLED_MESSAGES = 20_000
/** Fractions of the distance at which the tab's memory is measured. */
const SAMPLE_POINTS = [0.25, 0.5, 0.75, 1]

/**
 * Scrolls a channel of 100,000 messages of all lengths, with pictures, threads and reactions. It compares the frames
 * with the frames of a static page of the same rows. It also measures blank thirds of the viewport, and the tab's
 * memory while it scrolls up from the newest message.
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
    const channel = await seedLongChannel(server.dbUrl, MESSAGES)
    const page = await openAs(browser, server, 'ann')
    await page.goto(`${server.url}/c/${channel}`)
    await page.locator('[role=log] article').first().waitFor()
    const rows = await inPage<string[]>(page, 'keepRows(600)')
    const height = await inPage<number>(page, 'height()')
    // Set as HTML text, which the app's CSP forbids.
    const plain = await browser.newContext({ viewport: page.viewportSize(), bypassCSP: true })
    const flat = await plain.newPage()
    await flat.goto(`${server.url}/sign-in`)
    await inPage(flat, `showStatic(${JSON.stringify(rows)}, ${height})`)

    const app: Frames[] = []
    const still: Frames[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      // oxlint-disable no-await-in-loop -- alternately, so that other load on the machine affects both
      app.push(await fling(page))
      still.push(await fling(flat))
      // oxlint-enable no-await-in-loop
    }
    await plain.close()
    const through = await scrollThrough(page)
    return { name: 'scroll', rows: [...frameRows(app, still), ...through] }
  } finally {
    await browser.close()
    await server.end('SIGTERM')
    data.remove()
  }
}

function frameRows(app: Frames[], still: Frames[]): BenchTable['rows'] {
  const frames = app.flatMap((one) => one.frames)
  const flat = still.flatMap((one) => one.frames)
  const p99 = percentile(frames, 0.99)
  const against = percentile(flat, 0.99)
  const sum = (of: (one: Frames) => number): number => app.reduce((total, one) => total + of(one), 0)
  return [
    {
      what: 'frame while flinging, p99',
      value: p99,
      unit: 'ms',
      ratio: p99 / against,
      against: `${against.toFixed(1)} ms of a static page of the same rows`,
      also: { 'ms p50': percentile(frames, 0.5), 'ms p50 static': percentile(flat, 0.5) },
    },
    {
      what: 'looks with a blank third',
      value: sum((one) => one.blanks),
      unit: `of ${sum((one) => one.looks)}`,
    },
  ]
}

/** Scrolls in the middle of the list by one hard fling, up and down again. */
async function fling(page: Page): Promise<Frames> {
  await page.bringToFront()
  const session = await page.context().newCDPSession(page)
  await inPage(page, 'startProbe()')
  for (const yDistance of [FLING_DISTANCE, -FLING_DISTANCE]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await session.send('Input.synthesizeScrollGesture', {
      x: 700,
      y: 450,
      yDistance,
      speed: FLING,
      gestureSourceType: 'mouse',
      preventFling: true,
    })
  }
  const seen = await inPage<Frames>(page, 'stopProbe()')
  await session.detach()
  return seen
}

/** Returns the JavaScript heap in bytes after garbage collection. */
async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize
}

/** Scrolls up from the newest message, as fast as pages load. */
async function scrollThrough(page: Page): Promise<BenchTable['rows']> {
  await page.bringToFront()
  const session = await page.context().newCDPSession(page)
  await page.locator('[role=log] article').last().focus()
  await page.keyboard.press('End')
  const start = await heapOf(session)
  await inPage(page, 'startProbe()')
  const began = performance.now()
  const heaps: number[] = []
  let passed = 0
  for (const part of SAMPLE_POINTS) {
    // oxlint-disable-next-line no-await-in-loop -- one quarter after the other
    passed += await inPage<number>(page, `walkUp(${SCROLLED_MESSAGES * part} - ${passed})`)
    // oxlint-disable-next-line no-await-in-loop
    heaps.push(await heapOf(session))
  }
  const seconds = (performance.now() - began) / 1000
  const { blanks, looks } = await inPage<Frames>(page, 'stopProbe()')
  const nodes = await page.evaluate<number>('document.querySelectorAll("*").length')
  await session.detach()
  const mega = (bytes: number): number => bytes / 1e6
  const end = heaps.at(-1) ?? start
  return [
    {
      what: 'memory after the walk',
      value: mega(end),
      unit: 'MB',
      ratio: end / start,
      against: `${mega(start).toFixed(1)} MB at the newest`,
      also: Object.fromEntries(
        heaps.map((heap, at) => [`MB at ${(SAMPLE_POINTS[at] ?? 0) * 100} %`, mega(heap)]),
      ),
    },
    {
      what: 'messages walked through',
      value: passed / seconds,
      unit: '/s',
      also: { messages: passed, elements: nodes },
    },
    { what: 'looks with a blank third on the way', value: blanks, unit: `of ${looks}` },
  ]
}

/** Evaluates a call in the page. */
async function inPage<T = void>(page: Page, call: string): Promise<T> {
  await page.evaluate(`void (${IN_PAGE})`)
  return page.evaluate<T>(`globalThis.scrolling.${call}`)
}
