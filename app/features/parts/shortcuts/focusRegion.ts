import { COMPOSER_FIELD } from '../../../ui/field.ts'

/** A region of the page that F6 moves to, and the element that is focused in it. */
interface Region {
  root: Element
  target: HTMLElement
}

const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), [tabindex="0"]'

/** Moves the focus to the next (1) or the previous (-1) region: sidebar, conversation, composer, side panel, toast. */
export function focusRegion(step: 1 | -1): void {
  const regions = findRegions(document)
  const focused = document.activeElement
  // Of nested regions the inner one comes later.
  const at = regions.findLastIndex(({ root }) => root.contains(focused))
  const next = at < 0 ? (step > 0 ? 0 : regions.length - 1) : (at + step + regions.length) % regions.length
  regions[next]?.target.focus()
}

function findRegions(page: Document): Region[] {
  const [pane, panel] = page.querySelectorAll('[data-pane]')
  const field = pane?.querySelector(COMPOSER_FIELD)
  return [
    createRegion(page.querySelector('nav'), '[aria-current="page"]'),
    createRegion(pane ?? page.querySelector('main'), '[role=log] article[tabindex="0"]'),
    createRegion(field?.closest('form') ?? field, COMPOSER_FIELD),
    createRegion(panel, COMPOSER_FIELD),
    createRegion(page.querySelector('[data-toast]'), 'button'),
  ].flatMap((found) => found ?? [])
}

/** Prefers the element that `preferred` selects, else the first focusable one. */
function createRegion(root: Element | null | undefined, preferred: string): Region | null {
  const found = root?.matches(preferred)
    ? root
    : (root?.querySelector(preferred) ?? root?.querySelector(FOCUSABLE))
  return root && found instanceof HTMLElement ? { root, target: found } : null
}
