import type { Browser, Page } from '@playwright/test'
import { COMPOSER_FIELD } from '../app/ui/field.ts'
import { startServer, temporaryData, type Server } from '../tests/support/server.ts'
import { addPeople } from './scroll/addPeople.ts'
import { percentile } from './scroll/inPage.ts'
import { openAs, openBrowser } from './scroll/openBrowser.ts'
import { seedLongChannel } from './scroll/seedLongChannel.ts'
import type { BenchRow, BenchTable } from './table.ts'

const CHARACTERS = 10_000
const ROUNDS = 6
const KEYS = 40
const PEOPLE = 2_000
const CHANNELS = 300
/** A frame at 60 Hz. */
const FRAME_MS = 1000 / 60
const PALETTE_KEYS = [...'frontdesk', ...Array.from({ length: 9 }, () => 'Backspace'), ...'bea lind']

const MESSAGES = 5_000
/** How much slower the processor is in the long conversation. */
const SLOWDOWN = 4

const RICH_FIELD = '[data-compose] [contenteditable=true]'
const SOURCE_FIELD = '[data-compose] textarea'
const PALETTE = 'dialog input[role=combobox]'
const PLAIN = '#plain'

/**
 * The script in the page. `showPlain` adds a text area of the same size, font and content, without the application.
 * `measure` records for each key the ms from its event until the next frame has been painted.
 */
const IN_PAGE = `globalThis.typing ??= (() => {
  let times = []
  addEventListener('keydown', ({ timeStamp }) => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => times.push(performance.now() - timeStamp)
      port2.postMessage(null)
    })
  }, { capture: true })
  return {
    showPlain() {
      const field = document.querySelector('${COMPOSER_FIELD}')
      const { width, height } = field.getBoundingClientRect()
      const { font, lineHeight } = getComputedStyle(field)
      const plain = document.createElement('textarea')
      plain.id = 'plain'
      plain.value = field.value ?? field.innerText
      Object.assign(plain.style, {
        position: 'fixed', top: '60px', left: '300px', zIndex: 9, resize: 'none', padding: 0, border: 0,
        width: width + 'px', height: height + 'px', font, lineHeight, overflowWrap: 'anywhere',
      })
      document.body.append(plain)
    },
    take: (count) => new Promise((resolve) => {
      const check = () => times.length < count ? requestAnimationFrame(check) : resolve(times.splice(0))
      check()
    }),
    clear: () => { times = [] },
  }
})()`

/** A draft as people write them: paragraphs, lists, code, mentions and emoji. */
function draftText(): string {
  const unit =
    'Dear @Bea Lindqvist, the van for #front-desk **left** at ten and comes back `after four`.\n\n- first item\n- second 🙂\n\n'
  const end = '\n\nSee you'
  return unit.repeat(Math.ceil(CHARACTERS / unit.length)).slice(0, CHARACTERS - end.length) + end
}

/**
 * Measures typing at the end of a draft of 10,000 characters, alternately in the composer and in a plain text area of
 * the same page; in the command palette; and in a long conversation on a slow processor, alternately in the field that
 * shows formats and in the field of Markdown source.
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
    await addPeople(server.dbUrl, { people: PEOPLE, channels: CHANNELS })
    const page = await openAs(browser, server, 'ann')
    await page.locator(COMPOSER_FIELD).first().fill(draftText())
    // Its tools listen: they are part of what is measured.
    await page.locator(`${COMPOSER_FIELD}[aria-autocomplete]`).waitFor()
    await page.evaluate(`void (${IN_PAGE})`)
    await page.evaluate('globalThis.typing.showPlain()')
    const composer: number[] = []
    const plain: number[] = []
    await type(page, COMPOSER_FIELD)
    await type(page, PLAIN)
    for (let round = 0; round < ROUNDS; round += 1) {
      // oxlint-disable no-await-in-loop -- alternately, so that other load on the machine affects both
      composer.push(...(await type(page, COMPOSER_FIELD)))
      plain.push(...(await type(page, PLAIN)))
      // oxlint-enable no-await-in-loop
    }
    const draft = 'in a draft of 10,000 characters'
    const { painted, computed } = await typeInPalette(page)
    const { rich, source } = await typeInLongConversation(browser, server)
    const where = `in the command palette of ${PEOPLE} people and ${CHANNELS} channels`
    return {
      name: 'typing',
      rows: [
        row(draft, composer, plain, 0.5),
        row(draft, composer, plain, 0.95),
        row(where, painted, plain, 0.5),
        row(where, painted, plain, 0.95),
        conversationRow(rich, source, 0.5),
        conversationRow(rich, source, 0.95),
        ...[0.5, 0.95, 1].map((part) => ({
          what: `processor time of a key ${where}, ${part === 1 ? 'maximum' : `p${part * 100}`}`,
          goal: 'a frame',
          value: percentile(computed, part),
          unit: 'ms',
          ratio: percentile(computed, part) / FRAME_MS,
          against: `${FRAME_MS.toFixed(1)} ms`,
        })),
      ],
    }
  } finally {
    await browser.close()
    await server.end('SIGTERM')
    data.remove()
  }
}

/** Types at the end of a field. Returns the ms from each key until it is painted. */
async function type(page: Page, selector: string): Promise<number[]> {
  await page.locator(selector).first().focus()
  await page.keyboard.press('Control+End')
  await page.evaluate('globalThis.typing.take(1)')
  await page.evaluate('globalThis.typing.clear()')
  for (let key = 0; key < KEYS; key += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one key after the other, as people type
    await page.keyboard.press(key % 6 === 5 ? 'Space' : 'e')
  }
  return page.evaluate<number[]>(`globalThis.typing.take(${KEYS})`)
}

/** Types in the composer of a long conversation: Ann in the field that shows formats, Bea in the one of Markdown source. */
async function typeInLongConversation(
  browser: Browser,
  server: Server,
): Promise<{ rich: number[]; source: number[] }> {
  const channel = await seedLongChannel(server.dbUrl, MESSAGES)
  const open = async (who: 'ann' | 'bea', field: string): Promise<() => Promise<number[]>> => {
    const page = await openAs(browser, server, who)
    await page.evaluate(`localStorage.setItem('linnet.markdown-source', '${field === SOURCE_FIELD}')`)
    await page.goto(`${server.url}/c/${channel}`)
    await page.locator('[role=log] article').first().waitFor()
    await page.locator(COMPOSER_FIELD).first().focus()
    await page.locator(`${field}[aria-autocomplete]`).waitFor()
    await page.evaluate(`void (${IN_PAGE})`)
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
    return async () => {
      await page.bringToFront()
      return type(page, field)
    }
  }
  const typeRich = await open('ann', RICH_FIELD)
  const typeSource = await open('bea', SOURCE_FIELD)
  const [rich, source]: [number[], number[]] = [[], []]
  for (let round = 0; round <= ROUNDS; round += 1) {
    // oxlint-disable no-await-in-loop -- alternately, so that other load on the machine affects both
    const times = [await typeRich(), await typeSource()] as const
    // oxlint-enable no-await-in-loop
    // The first round compiles what it runs.
    if (round === 0) continue
    rich.push(...times[0])
    source.push(...times[1])
  }
  return { rich, source }
}

function conversationRow(rich: number[], source: number[], part: number): BenchRow {
  const value = percentile(rich, part)
  const against = percentile(source, part)
  return {
    what: `key until painted in a conversation of ${MESSAGES} messages at a quarter of the processor's speed, p${part * 100}`,
    goal: '≤ 24 ms or 1×',
    value,
    unit: 'ms',
    ratio: value / against,
    against: `${against.toFixed(1)} ms in the field of Markdown source`,
  }
}

/**
 * Types beginnings of names into the palette, which lists matches after each key. Returns for each key the ms until
 * it is painted, and the ms that the main thread computes for it.
 */
async function typeInPalette(page: Page): Promise<{ painted: number[]; computed: number[] }> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const taskMs = async (): Promise<number> =>
    1000 *
    (await session.send('Performance.getMetrics')).metrics.find((metric) => metric.name === 'TaskDuration')!
      .value
  await page.keyboard.press('Control+k')
  await page.locator(PALETTE).focus()
  const [painted, computed]: [number[], number[]] = [[], []]
  for (let round = 0; round <= ROUNDS; round += 1) {
    // oxlint-disable no-await-in-loop -- one key after the other, as people type
    await page.locator(PALETTE).fill('')
    await page.evaluate('globalThis.typing.clear()')
    for (const key of PALETTE_KEYS) {
      const before = await taskMs()
      await page.keyboard.press(key)
      const [ms] = await page.evaluate<number[]>('globalThis.typing.take(1)')
      // The first round loads what is shown.
      if (round === 0) continue
      painted.push(ms!)
      computed.push((await taskMs()) - before)
    }
    // oxlint-enable no-await-in-loop
  }
  return { painted, computed }
}

function row(where: string, field: number[], plain: number[], part: number): BenchRow {
  const value = percentile(field, part)
  const against = percentile(plain, part)
  return {
    what: `key until painted ${where}, p${part * 100}`,
    value,
    unit: 'ms',
    ratio: value / against,
    against: `${against.toFixed(1)} ms in a plain text area of the same page`,
  }
}
