import type { Browser, CDPSession, Page } from '@playwright/test'
import { COMPOSER_FIELD } from '../app/ui/field.ts'
import { startServer, temporaryData } from '../tests/support/server.ts'
import { addPeople } from './scroll/addPeople.ts'
import { percentile } from './scroll/inPage.ts'
import { openAs, openBrowser } from './scroll/openBrowser.ts'
import type { BenchTable } from './table.ts'

const SMALL = { people: 20, channels: 10 }
const LARGE = { people: 2_000, channels: 500 }
const ROUNDS = 8
const KEYS = 20

/** A page of Ann in a workspace of one size, and a page of Bea who writes to her. */
interface Workspace {
  ann: Page
  bea: Page
  /** The ms for which the main thread of Ann's page has computed. */
  taskMs: () => Promise<number>
  end: () => Promise<void>
}

/**
 * What a page does. Each runs once before the measurement, since the first run loads modules. Ann's page is read by CSS
 * selectors: a locator by role visits all elements in the thread that is measured.
 */
const ACTIONS: Record<string, (workspace: Workspace, round: number) => Promise<void>> = {
  'a key in the message field': async ({ ann }) => {
    await ann.locator(COMPOSER_FIELD).first().focus()
    for (let key = 0; key < KEYS; key += 1) await ann.keyboard.press(key % 6 === 5 ? 'Space' : 'e')
  },
  'a message of another person': async ({ ann, bea }, round) => {
    const text = `Message ${round}`
    await bea.locator(COMPOSER_FIELD).first().fill(text)
    await bea.keyboard.press('Enter')
    await ann.locator('[role=log] article').filter({ hasText: text }).waitFor()
  },
  'the dialog with the list of people': async ({ ann }) => {
    await ann.locator('button[aria-label="New conversation"]').click()
    await ann.locator('dialog ul[aria-label="People"]').waitFor()
    await ann.keyboard.press('Escape')
    await ann.locator('dialog').waitFor({ state: 'detached' })
  },
}

/** Measures the processor time of pages in a large workspace beside pages in a small one. */
export async function run(): Promise<BenchTable> {
  const browser = await openBrowser()
  const opened: Workspace[] = []
  try {
    const small = await openWorkspace(browser, SMALL)
    opened.push(small)
    const large = await openWorkspace(browser, LARGE)
    opened.push(large)
    const rows = []
    for (const [what, action] of Object.entries(ACTIONS)) {
      const [few, many]: [number[], number[]] = [[], []]
      for (let round = 0; round <= ROUNDS; round += 1) {
        // oxlint-disable no-await-in-loop -- alternately, so that other load on the machine affects both
        const before = await measure(small, action, round)
        const after = await measure(large, action, round)
        // oxlint-enable no-await-in-loop
        if (round === 0) continue
        few.push(before)
        many.push(after)
      }
      const [value, against] = [percentile(many, 0.5), percentile(few, 0.5)]
      rows.push({
        what,
        goal: '≤ 2×',
        value,
        unit: 'ms',
        ratio: value / against,
        against: `${against.toFixed(1)} ms with ${SMALL.people} people and ${SMALL.channels} channels`,
      })
    }
    return { name: 'scale', rows }
  } finally {
    await browser.close()
    for (const { end } of opened) await end()
  }
}

async function measure(
  workspace: Workspace,
  action: (workspace: Workspace, round: number) => Promise<void>,
  round: number,
): Promise<number> {
  const settle = () =>
    workspace.ann.evaluate('new Promise((resolve) => requestIdleCallback(() => setTimeout(resolve, 50)))')
  await settle()
  const before = await workspace.taskMs()
  await action(workspace, round)
  await settle()
  return (await workspace.taskMs()) - before
}

async function openWorkspace(browser: Browser, size: typeof SMALL): Promise<Workspace> {
  const data = temporaryData()
  const server = await startServer({
    root: process.cwd(),
    dataDir: data.dir,
    args: ['--app', '--demo', '--db-port', '0'],
  })
  await addPeople(server.dbUrl, { ...size, isJoined: true })
  const ann = await openAs(browser, server, 'ann')
  const bea = await openAs(browser, server, 'bea')
  for (const page of [ann, bea]) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /front-desk/ })
      .first()
      .click()
  }
  const session: CDPSession = await ann.context().newCDPSession(ann)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return {
    ann,
    bea,
    taskMs: async () => {
      const { metrics } = await session.send('Performance.getMetrics')
      return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0)
    },
    end: async () => {
      await server.end('SIGTERM')
      data.remove()
    },
  }
}
