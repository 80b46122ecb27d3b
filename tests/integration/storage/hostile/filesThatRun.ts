import type { Browser } from '@playwright/test'

/** How a page includes a file: the attribute that names it, and what the browser then calls its request. */
const elements = {
  iframe: ['src', 'document'],
  object: ['data', 'document'],
  img: ['src', 'image'],
  script: ['src', 'script'],
} as const

type Including = keyof typeof elements

/** Declarations of browser globals: the tests do not load the DOM types. */
const useAll = (addresses: readonly string[], ways: readonly Including[]): string => `
  for (const address of ${JSON.stringify(addresses)}) {
    for (const [tag, attribute] of ${JSON.stringify(ways.map((way) => [way, elements[way][0]]))}) {
      const element = document.createElement(tag)
      element.setAttribute(attribute, address)
      document.body.append(element)
    }
  }`

const placeLast = `
  const frame = document.createElement('iframe')
  frame.srcdoc = "<script>parent.fetch('/ran?the%20last')</script>"
  document.body.append(frame)`

/**
 * Names of the files of which something ran (it asks for `/ran?<name>`), sorted, when a page at `origin` shows and runs
 * each of them in each of the `ways`.
 */
export async function filesThatRun(
  browser: Browser,
  origin: string,
  addresses: readonly string[],
  ways: readonly Including[],
): Promise<string[]> {
  const context = await browser.newContext({ acceptDownloads: false })
  try {
    const ran = new Set<string>()
    const page = await context.newPage()
    page.on('dialog', (dialog) => void dialog.dismiss())
    let waiting = new Set<string>()
    let answered = (): void => {}
    const recordRequest = (kind: string, address: string): void => {
      waiting.delete(`${kind} ${address}`)
      if (waiting.size === 0) answered()
    }
    context.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      if (pathname === '/ran') ran.add(decodeURIComponent(search.slice(1)))
    })
    context.on('requestfinished', (request) => recordRequest(request.resourceType(), request.url()))
    context.on('requestfailed', (request) => recordRequest(request.resourceType(), request.url()))
    await page.route(`${origin}/host`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><body>' }),
    )
    for (let at = 0; at < addresses.length; at += 50) {
      const some = addresses.slice(at, at + 50)
      await page.goto(`${origin}/host`)
      waiting = new Set(some.flatMap((address) => ways.map((way) => `${elements[way][1]} ${address}`)))
      const all = new Promise<void>((resolve) => {
        answered = resolve
      })
      await page.evaluate(useAll(some, ways))
      await all
      // The last script always runs: when its request arrives, the requests of all earlier scripts have arrived.
      const last = page.waitForRequest(`${origin}/ran?the%20last`)
      await page.evaluate(placeLast)
      await last
    }
    ran.delete('the last')
    return [...ran].toSorted()
  } finally {
    await context.close()
  }
}
