import type { BrowserContext, Page } from '@playwright/test'

interface Recorded {
  title: string
  body: string
  closed: boolean
}

/** Records the notifications of all pages of a browser: a page's own are in `recorded`. */
export async function recordNotifications(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const recorded: Recorded[] = []
    const displayed: EventTarget[] = []
    class RecordedNotification extends EventTarget {
      static readonly permission = 'granted'
      private readonly entry: Recorded
      constructor(title: string, { body = '' }: { body?: string } = {}) {
        super()
        this.entry = { title, body, closed: false }
        recorded.push(this.entry)
        displayed.push(this)
      }
      close() {
        this.entry.closed = true
      }
    }
    Object.assign(globalThis, { Notification: RecordedNotification, recorded, displayed })
  })
}

/** Clicks on the last notification that the page has displayed, if any. */
export async function clickNotification(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { displayed } = globalThis as unknown as { displayed: EventTarget[] }
    displayed.at(-1)?.dispatchEvent(new Event('click'))
  })
}

export async function recordedOf(...pages: Page[]): Promise<Recorded[]> {
  const all = await Promise.all(
    pages.map((page) => page.evaluate(() => (globalThis as unknown as { recorded: Recorded[] }).recorded)),
  )
  return all.flat()
}
