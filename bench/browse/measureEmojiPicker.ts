import type { Page } from '@playwright/test'
import { percentile } from '../scroll/inPage.ts'
import type { BenchRow } from '../table.ts'

const ROUNDS = 20

/** As text: this program knows no browser's types. Times are milliseconds from the click until the frame is drawn. */
const IN_PAGE = `(async (rounds) => {
  const frame = () => new Promise(requestAnimationFrame)
  const drawn = async () => {
    await frame()
    await new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = resolve
      port2.postMessage(null)
    })
  }
  const emoji = () => document.querySelectorAll('[role=dialog]:popover-open [data-emoji]')
  const button = document.querySelector('form button[aria-label="Insert an emoji"]')
  const whenShown = async (count) => {
    while (emoji().length < count) await frame()
    await drawn()
  }
  async function openPicker() {
    const start = performance.now()
    button.click()
    await whenShown(60)
    const first = performance.now() - start
    await whenShown(1800)
    const all = performance.now() - start
    const texts = [...emoji()].map((one) => one.textContent)
    document.querySelector('[role=dialog]:popover-open').hidePopover()
    while (emoji().length > 0) await frame()
    await drawn()
    return { first, all, texts }
  }
  /* The same emoji as buttons in one scrolling list, by the DOM alone. */
  async function openList(texts) {
    const start = performance.now()
    const list = document.createElement('div')
    list.popover = 'manual'
    list.style.cssText = 'width:320px;height:360px;overflow-y:auto'
    for (const text of texts) {
      const one = document.createElement('button')
      one.textContent = text
      one.style.cssText = 'width:36px;height:36px;font-size:22px'
      list.append(one)
    }
    document.body.append(list)
    list.showPopover()
    await drawn()
    const time = performance.now() - start
    list.remove()
    await drawn()
    return time
  }
  const { texts } = await openPicker()
  const result = { first: [], all: [], list: [] }
  for (let round = 0; round < rounds; round += 1) {
    const { first, all } = await openPicker()
    result.first.push(first)
    result.all.push(all)
    result.list.push(await openList(texts))
  }
  return result
})(${ROUNDS})`

/** Opens the emoji picker, and a plain list of the same emoji, in turns. Its code and data are loaded before. */
export async function measureEmojiPicker(page: Page): Promise<BenchRow> {
  await page.getByRole('button', { name: 'Insert an emoji' }).first().waitFor()
  const { first, all, list } = await page.evaluate<Record<'first' | 'all' | 'list', number[]>>(IN_PAGE)
  const value = percentile(first, 0.5)
  const plain = percentile(list, 0.5)
  return {
    what: 'emoji picker, click → first emoji drawn, p50',
    goal: '≤ 1 ×',
    value,
    unit: 'ms',
    ratio: value / plain,
    against: `${plain.toFixed(1)} ms, a plain list of all`,
    also: {
      'ms p95': percentile(first, 0.95),
      'ms until all are drawn, p50': percentile(all, 0.5),
      'ms p95 of the list': percentile(list, 0.95),
    },
  }
}
