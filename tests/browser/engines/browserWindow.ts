import { expect } from '@playwright/test'
import type { Driver } from './driver.ts'

/** The key under which WebDriver returns an element. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

export const ENTER = '\uE007'
export const ESCAPE = '\uE00C'
export const ARROW_UP = '\uE013'

/** One window of a browser. Elements are named by a CSS selector; an action takes the last visible one. */
export interface BrowserWindow {
  goto(url: string): Promise<void>
  /** Runs the body of a function in the page; `arguments` are `args`. */
  evaluate<Result>(script: string, ...args: unknown[]): Promise<Result>
  click(css: string): Promise<void>
  /** Types with real keys, at the end of what a text field contains. */
  type(css: string, text: string): Promise<void>
  /** Adds files, by their paths, to an input that may be hidden. */
  chooseFile(css: string, path: string): Promise<void>
  /** Turns the mouse wheel over the middle of an element. */
  wheel(css: string, deltaY: number): Promise<void>
  /** Waits until exactly `count` visible elements match, and contain `text`. */
  expectCount(css: string, count: number, text?: string): Promise<void>
  /** Makes the page so large. */
  resize(width: number, height: number): Promise<void>
  screenshot(): Promise<Buffer>
  /** Another window of the same browser, with the same cookies and storage. */
  open(): Promise<BrowserWindow>
  close(): Promise<void>
}

const VISIBLE = `
  const visible = (css) =>
    [...document.querySelectorAll(css)].filter((element) => element.checkVisibility({ visibilityProperty: true }))
`

export async function firstWindow(driver: Driver): Promise<BrowserWindow> {
  return windowOf({ driver, current: await driver.send<string>('GetWindowHandle') })
}

/** A driver sends each command to its current window. */
interface Windows {
  driver: Driver
  current: string
}

function windowOf(windows: Windows): BrowserWindow {
  const { driver } = windows
  const handle = windows.current
  const select = async (): Promise<void> => {
    if (windows.current === handle) return
    await driver.send('SwitchToWindow', { handle })
    windows.current = handle
  }

  async function evaluate<Result>(script: string, ...args: unknown[]): Promise<Result> {
    await select()
    return driver.send<Result>('ExecuteScript', { script, args })
  }

  /** Acts on the last matching element, as soon as it can be used. */
  async function act(
    css: string,
    find: string,
    action: (element: Record<string, string>) => Promise<unknown>,
  ): Promise<void> {
    await expect(async () => {
      const element = await evaluate<Record<string, string> | null>(`${VISIBLE} return ${find} ?? null`, css)
      expect(element, css).not.toBeNull()
      await action(element!)
    }).toPass({ timeout: 60_000 })
  }

  const lastVisible = 'visible(arguments[0]).at(-1)'
  return {
    evaluate,
    async goto(url) {
      await select()
      await driver.send('Navigate', { url })
    },
    click: (css) => act(css, lastVisible, ({ [ELEMENT]: id }) => driver.send('ElementClick', { id })),
    type: (css, text) =>
      act(css, lastVisible, ({ [ELEMENT]: id }) => driver.send('ElementSendKeys', { id, text })),
    chooseFile: (css, path) =>
      act(css, 'document.querySelector(arguments[0])', ({ [ELEMENT]: id }) =>
        driver.send('ElementSendKeys', { id, text: path }),
      ),
    wheel: (css, deltaY) =>
      act(css, lastVisible, async (origin) => {
        const scroll = { type: 'scroll', x: 0, y: 0, deltaX: 0, deltaY, duration: 0, origin }
        await driver.send('PerformActions', { actions: [{ type: 'wheel', id: 'wheel', actions: [scroll] }] })
        // WebKit scrolls by the difference to the previous delta of the same wheel.
        await driver.send('ReleaseActions')
      }),
    async expectCount(css, count, text = '') {
      const script = `${VISIBLE} return visible(arguments[0]).filter((one) => one.innerText.includes(arguments[1])).length`
      await expect
        .poll(() => evaluate<number>(script, css, text), { message: `${css} with “${text}”` })
        .toBe(count)
    },
    async resize(width, height) {
      await select()
      await driver.send('SetWindowRect', { width, height })
      const page = (): Promise<[number, number]> => evaluate('return [innerWidth, innerHeight]')
      await expect.poll(async () => (await page())[0]).toBe(width)
      // A toolbar takes part of the window's height.
      const toolbar = height - (await page())[1]
      await driver.send('SetWindowRect', { width, height: height + toolbar })
      await expect.poll(page).toEqual([width, height])
    },
    async screenshot() {
      await select()
      return Buffer.from(await driver.send<string>('TakeScreenshot'), 'base64')
    },
    async open() {
      const { handle: opened } = await driver.send<{ handle: string }>('NewWindow', { type: 'window' })
      await driver.send('SwitchToWindow', { handle: opened })
      windows.current = opened
      return windowOf(windows)
    },
    async close() {
      await select()
      await driver.send('CloseWindow')
      windows.current = ''
    },
  }
}
