import { expect, test, type Page } from '@playwright/test'
import react from '@vitejs/plugin-react'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { build } from 'vite'
import { findViolations } from './findViolations.ts'

const app = join(import.meta.dirname, '../../app')
const origin = 'http://gallery.test'
const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
}

/** The files of the gallery by their paths. The build of the app does not contain it. */
const files = new Map<string, string | Uint8Array>()

test.beforeAll(async () => {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    root: app,
    publicDir: false,
    plugins: [react()],
    build: { write: false, rolldownOptions: { input: join(app, 'gallery/index.html') } },
  })
  if (!('output' in built)) throw new Error('The gallery was not built')
  for (const file of built.output)
    files.set(`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source)
})

async function openGallery(page: Page, query = ''): Promise<void> {
  await page.route(`${origin}/**`, (route) => {
    const path = new URL(route.request().url()).pathname
    const body = files.get(path)
    return body === undefined
      ? route.fulfill({ status: 404 })
      : route.fulfill({ body: Buffer.from(body), contentType: types[extname(path)] ?? '' })
  })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${origin}/gallery/index.html${query}`)
  await expect(page.getByRole('region')).toHaveCount(4)
}

test('the gallery has every component of app/ui', () => {
  const gallery = readFileSync(join(app, 'gallery/Gallery.tsx'), 'utf8')
  // The toaster displays the view of a toast, and each field displays `Field`.
  const others = new Set(['lazyComponent.tsx', 'ToastView.tsx', 'Field.tsx'])
  const components = readdirSync(join(app, 'ui')).filter(
    (name) => name.endsWith('.tsx') && !name.endsWith('.test.tsx') && !others.has(name),
  )
  expect(components).toContain('Button.tsx')
  for (const name of components) expect(gallery).toContain(`'../ui/${name}'`)
})

for (const query of ['', '?density=compact&contrast=more'])
  test(`the components conform to WCAG 2.2 AA in both themes and directions ${query}`, async ({ page }) => {
    await openGallery(page, query)
    expect(await findViolations(page)).toEqual([])
  })

test('what opens above the page has the theme and the direction of its panel', async ({ page }) => {
  await openGallery(page)
  const panel = page.getByRole('region', { name: 'dark, rtl' })
  for (const [button, role] of [
    ['Open the menu', 'menu'],
    ['Open the popover', 'dialog'],
    ['Open the dialog', 'dialog'],
  ] as const) {
    await panel.getByRole('button', { name: button }).click()
    const opened = page.getByRole(role)
    await expect(opened).toHaveCSS('color-scheme', 'dark')
    await expect(opened).toHaveCSS('direction', 'rtl')
    expect.soft(await findViolations(page, 'color-contrast'), button).toEqual([])
    await page.keyboard.press('Escape')
    await expect(opened).toHaveCount(0)
  }
  // A dialog with a form is displayed in the body, so it has the theme of the page.
  await page.emulateMedia({ colorScheme: 'dark' })
  for (const name of ['Open the form', 'Open the confirmation']) {
    await panel.getByRole('button', { name }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    expect.soft(await findViolations(page, 'color-contrast', 'dialog'), name).toEqual([])
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
})

test('a layer starts at the edge of its button where a line of text starts', async ({ page }) => {
  await openGallery(page)
  const edges: unknown[] = []
  for (const name of ['light, ltr', 'light, rtl']) {
    const button = page.getByRole('region', { name }).getByRole('button', { name: 'Open the menu' })
    await button.click()
    const [anchor, menu] = await Promise.all([button.boundingBox(), page.getByRole('menu').boundingBox()])
    if (!anchor || !menu) throw new Error('The menu is not open')
    const right = menu.x + menu.width - (anchor.x + anchor.width)
    edges.push(name.endsWith('rtl') ? Math.round(right) : Math.round(menu.x - anchor.x))
    await page.keyboard.press('Escape')
  }
  expect(edges).toEqual([0, 0])
})

test('a tooltip shows the name and the shortcut of a button to a mouse, the keyboard and a finger', async ({
  page,
}) => {
  await openGallery(page)
  const button = page
    .getByRole('region', { name: 'light, ltr' })
    .getByRole('button', { name: 'Notifications' })
  const tooltip = page.locator('[role=tooltip]')
  await button.hover()
  await expect(tooltip).toHaveText('NotificationsN')
  await page.mouse.move(0, 0)
  await expect(tooltip).toBeHidden()
  await page.keyboard.press('Tab')
  await button.focus()
  await expect(tooltip).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(tooltip).toBeHidden()
  await button.dispatchEvent('pointerdown', { pointerType: 'touch' })
  await expect(tooltip).toBeVisible()
  await button.dispatchEvent('pointerup', { pointerType: 'touch' })
  await expect(tooltip).toBeHidden()
})

interface Ring {
  name: string
  outlineStyle: string
  outlineWidth: string
  outlineColor: string
  borderRadius: string
  /** Of the focused element itself. */
  outlineOffset: string
}

/** The outline of the focused element of the first panel; null once the focus is elsewhere. */
const FOCUS_RING = `(() => {
  const focused = document.activeElement
  if (!focused?.closest('[aria-label="light, ltr"]')) return null
  // A radio button is invisible: its label has the ring.
  const shown = focused.matches('[type=radio]') ? focused.closest('label') : focused
  const { outlineStyle, outlineWidth, outlineColor, borderRadius } = getComputedStyle(shown)
  const { outlineOffset } = getComputedStyle(focused)
  return { name: focused.outerHTML, outlineStyle, outlineWidth, outlineColor, borderRadius, outlineOffset }
})()`

test('each control shows one rounded ring when the keyboard focuses it', async ({ page }) => {
  await openGallery(page)
  const panel = page.getByRole('region', { name: 'light, ltr' })
  await panel.getByRole('button', { name: 'primary', exact: true }).focus()
  const rings: string[] = []
  for (;;) {
    await page.keyboard.press('Tab')
    const ring = await page.evaluate<Ring | null>(FOCUS_RING)
    if (!ring) break
    // The box around a text that grows shows its focus.
    if (ring.name.startsWith('<textarea') && ring.name.includes('rows="1"')) continue
    // A separator shows its focus by its line.
    if (ring.name.includes('role="separator"')) continue
    rings.push(ring.outlineColor)
    expect.soft(ring.outlineStyle, ring.name).toBe('solid')
    expect.soft(ring.outlineWidth, ring.name).toBe('2px')
    if (ring.name.includes('type="radio"')) expect.soft(ring.outlineOffset, ring.name).toBe('2px')
    // The browser draws checkboxes, whose corners no style changes.
    if (!ring.name.includes('type="checkbox"'))
      expect.soft(parseFloat(ring.borderRadius), ring.name).toBeGreaterThan(0)
  }
  expect(rings.length).toBeGreaterThan(15)
  expect(new Set(rings).size).toBe(1)
})
