import type { Page } from '@playwright/test'

/** Pixels that a finger needs in both directions: `--touch` of the styles. */
const TOUCH = 44

/** Elements of a page that are measured at most. */
const MAX_ELEMENTS = 150

/**
 * The interactive elements of a page whose hit area is smaller than a finger needs, one line for each. The hit area is
 * measured from the middle of the element: it can be larger than the element by a pseudo-element or a label. Elements
 * within a line of text, disabled ones and covered ones are left out, and fields of several lines, which grow.
 */
export function findSmallTargets(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(${SCRIPT})(${TOUCH}, ${MAX_ELEMENTS})`)
}

const SCRIPT = `(size, max) => {
  const selector =
    'a[href], button, select, summary, input:not([type=hidden], [type=file]), [role=button], [role=tab]'
  const { clientWidth, clientHeight } = document.documentElement
  const isHit = (element, x, y) => {
    const hit = document.elementFromPoint(x, y)
    return hit !== null && (element.contains(hit) || (hit.closest('label')?.contains(element) ?? false))
  }
  const extent = (element, x, y, dx, dy) => {
    let pixels = 1
    for (const direction of [1, -1]) {
      let step = 1
      while (step < size && isHit(element, x + direction * dx * step, y + direction * dy * step)) step += 1
      pixels += step - 1
    }
    return pixels
  }
  return [...document.querySelectorAll(selector)].slice(0, max).flatMap((element) => {
    if (!element.isConnected) return []
    element.scrollIntoView({ block: 'center', inline: 'nearest' })
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect()
    const [x, y] = [(left + right) / 2, (top + bottom) / 2]
    const isOutside = left < 0 || top < 0 || right > clientWidth || bottom > clientHeight
    if (width < 2 || isOutside || element.matches(':disabled') || !isHit(element, x, y)) return []
    if (getComputedStyle(element).display === 'inline') return []
    const [wide, high] = [
      Math.max(width, extent(element, x, y, 1, 0)),
      Math.max(height, extent(element, x, y, 0, 1)),
    ]
    // Positions are rounded to pixels.
    if (wide > size - 1.5 && high > size - 1.5) return []
    const name = element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 40)
    return [element.localName + ' “' + name + '”: ' + Math.round(wide) + ' × ' + Math.round(high)]
  })
}`
