import { i18n } from '@lingui/core'
import { announce } from '../../../ui/announce.ts'
import { carry, type Load } from './carry.ts'
import { stepOf, stepOfSection } from './stepOf.ts'
import { put, putSection, type Work } from './work.ts'

/** Milliseconds that a finger rests before it picks up. */
const REST = 450
/** Pixels that a hand may tremble. */
const STILL = 6

/** Moves the row or section that has the focus one step, and keeps the focus on it. */
export function moveByKey(target: Element, by: 1 | -1, work: Work): void {
  const load = loadOf(target)
  if (!load || (load.kind === 'section' && !isOwn(work, load))) return
  const end = () => announce(i18n._('It’s already at the end.'))
  if (load.kind === 'row') {
    const place = stepOf(work.groups, load.id, by)
    if (!place) return end()
    put(work, load.id, place)
  } else {
    const index = stepOfSection(work.groups, load.id, by)
    if (index === null) return end()
    putSection(work, load.id, index)
  }
  const list = load.element.closest('nav')
  // It is drawn anew where it went, and the focus would stay behind on nothing.
  requestAnimationFrame(() => {
    const to = load.kind === 'row' ? `[data-row="${load.id}"] a` : `[data-fold="${load.id}"]`
    const moved = list?.querySelector<HTMLElement>(to)
    moved?.focus()
    moved?.scrollIntoView({ block: 'nearest' })
  })
}

function isOwn({ groups }: Work, { id }: Load): boolean {
  return groups.some((group) => group.section?.id === id)
}

/** What a pointer would take hold of: a row, or the heading of a section made by hand. */
function loadOf(target: Element): Load | null {
  const row = target.closest<HTMLElement>('[data-row]')
  if (row?.dataset.row) return { kind: 'row', id: row.dataset.row, element: row }
  const head = target.closest<HTMLElement>('[data-head]')
  const part = head?.closest<HTMLElement>('[data-group]')
  if (!head || !part?.dataset.group) return null
  return { kind: 'section', id: part.dataset.group, element: head }
}

/**
 * Follows a press on the list: a mouse that moves carries, a finger that rests picks up first; resting and letting go
 * without a move opens the menu.
 */
export function press(list: HTMLElement, down: PointerEvent, work: Work): void {
  const load = down.target instanceof Element ? loadOf(down.target) : null
  if (!load || (down.target as Element).closest('[data-more], [aria-haspopup]')) return
  const movable = load.kind === 'row' || isOwn(work, load)
  const touch = down.pointerType === 'touch'
  let picked = !touch
  let carried: ReturnType<typeof carry> | null = null
  const rest = touch ? setTimeout(pick, Math.max(0, REST - (performance.now() - down.timeStamp))) : null
  const ended = new AbortController()
  const listen = { signal: ended.signal, capture: true }

  function pick() {
    picked = true
    list.dataset.moving = ''
    navigator.vibrate?.(10)
  }

  function end() {
    if (rest !== null) clearTimeout(rest)
    delete list.dataset.moving
    carried?.end()
    ended.abort()
  }

  addEventListener(
    'pointermove',
    (event) => {
      if (event.pointerId !== down.pointerId) return
      // Let go outside the window, where nobody could hear it.
      if (event.buttons === 0) return end()
      const still = Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) <= STILL
      if (still && !carried) return
      // A finger that moves before it rested is scrolling.
      if (!picked || !movable) return end()
      carried ??= carry(list, load, work.groups, down)
      carried.to(event.clientX, event.clientY)
    },
    listen,
  )
  addEventListener(
    'pointerup',
    (event) => {
      if (event.pointerId !== down.pointerId) return
      const drop = carried?.drop()
      const rested = touch && picked && !carried
      if (carried || rested) swallowClick()
      end()
      if (rested) work.onMenu(load.element)
      if (!drop) return
      if (load.kind === 'section') return putSection(work, load.id, drop.index)
      const group = work.groups.find((one) => one.key === drop.key)
      if (group) put(work, load.id, { group, index: drop.index })
    },
    listen,
  )
  addEventListener('pointercancel', end, listen)
  addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || !carried) return
      event.preventDefault()
      event.stopPropagation()
      swallowClick()
      end()
    },
    listen,
  )
}

/** The click that ends a move would open the conversation. */
function swallowClick() {
  const swallow = (event: Event) => {
    event.preventDefault()
    event.stopPropagation()
  }
  addEventListener('click', swallow, { capture: true, once: true })
  addEventListener('pointerdown', () => removeEventListener('click', swallow, true), {
    capture: true,
    once: true,
  })
  setTimeout(() => removeEventListener('click', swallow, true), 100)
}
