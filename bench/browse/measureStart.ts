import type { CDPSession, Page } from '@playwright/test'
import { percentile } from '../scroll/inPage.ts'
import type { BenchRow } from '../table.ts'

const ROUNDS = 7
/** How much slower the processor is made: a phone of some years. */
const SLOWER = 4

interface Times {
  painted: number
  readable: number
}

/** When the first thing was painted, and when the words of the conversation were. */
const TIMES = `(async () => {
  const stands = () => document.querySelector('[role=log] article')
  while (stands() === null) await new Promise(requestAnimationFrame)
  await new Promise(requestAnimationFrame)
  await new Promise((resolve) => setTimeout(resolve))
  const readable = performance.now()
  const painted = () => performance.getEntriesByName('first-paint')[0]
  while (painted() === undefined) await new Promise(requestAnimationFrame)
  return { painted: painted().startTime, readable }
})()`

/** The page as it stands, without what makes it run. */
const STILL = `'<!doctype html>' + document.documentElement.outerHTML.replaceAll(/<script[^>]*><\\/script>|<link[^>]+modulepreload[^>]*>/g, '')`

/**
 * Starts the app where everything is kept, and opens a static page of the same words and styles, in turns, with the
 * processor slowed down alike.
 */
export async function measureStart(page: Page, address: string): Promise<BenchRow[]> {
  await page.goto(address)
  await page.evaluate(TIMES)
  // Until the cache holds what is shown.
  await page.waitForTimeout(2_000)
  const still = await page.evaluate<string>(STILL)
  const beside = new URL('/still.html', address).href
  const plain = await page.context().newPage()
  await plain.route(beside, (route) =>
    route.fulfill({ contentType: 'text/html; charset=utf-8', body: still }),
  )
  const rounds: Record<'app' | 'static', Times[]> = { app: [], static: [] }
  const tabs = [
    ['app', page, address],
    ['static', plain, beside],
  ] as const
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, tab, url] of tabs) {
      await tab.bringToFront()
      const session = await tab.context().newCDPSession(tab)
      await slowDown(session, SLOWER)
      await tab.goto(url, { waitUntil: 'commit' })
      const times = await tab.evaluate<Times>(TIMES)
      await slowDown(session, 1)
      await session.detach()
      // The first round warms what browsers keep of scripts.
      if (round > 0) rounds[name].push(times)
    }
  }
  await plain.close()
  const of = (name: 'app' | 'static', what: keyof Times): number =>
    percentile(
      rounds[name].map((times) => times[what]),
      0.5,
    )
  const row = (what: string, key: keyof Times, most: number): BenchRow => ({
    what: `${what}, CPU ${SLOWER}× slower`,
    value: of('app', key),
    unit: 'ms',
    ratio: of('app', key) / of('static', 'painted'),
    against: `${of('static', 'painted').toFixed(0)} ms, the first paint of the same words as a static page`,
    also: { '× at most': most },
  })
  return [
    row('start from cache: first paint', 'painted', 1.5),
    row('start from cache: channel readable', 'readable', 2.5),
  ]
}

const slowDown = (session: CDPSession, rate: number): Promise<unknown> =>
  session.send('Emulation.setCPUThrottlingRate', { rate })
