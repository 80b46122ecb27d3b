import { i18n } from '@lingui/core'
import { announce } from '../../../../ui/announce.ts'
import { startDrag, type DragSource } from './startDrag.ts'
import { nextPosition, nextSectionIndex } from './nextPosition.ts'
import { moveToPosition, moveSectionToPosition, type MoveContext } from './moveToPosition.ts'

/** Duration of a long press. */
const LONG_PRESS_MS = 450
/** Movement that still counts as resting. */
const MAX_JITTER_PX = 6

/** Moves the focused row or section one step and keeps the focus on it. */
export function moveByKey(target: Element, by: 1 | -1, context: MoveContext): void {
  const source = dragSourceOf(target)
  if (!source || (source.kind === 'section' && !isSection(context, source))) return
  const end = () => announce(i18n._('It’s already at the end.'))
  if (source.kind === 'row') {
    const position = nextPosition(context.groups, source.id, by)
    if (!position) return end()
    moveToPosition(context, source.id, position)
  } else {
    const index = nextSectionIndex(context.groups, source.id, by)
    if (index === null) return end()
    moveSectionToPosition(context, source.id, index)
  }
  const list = source.element.closest('nav')
  // The row is rendered anew at its new position: the focus would be lost.
  requestAnimationFrame(() => {
    const to = source.kind === 'row' ? `[data-row="${source.id}"] a` : `[data-toggle="${source.id}"]`
    const moved = list?.querySelector<HTMLElement>(to)
    moved?.focus()
    moved?.scrollIntoView({ block: 'nearest' })
  })
}

function isSection({ groups }: MoveContext, { id }: DragSource): boolean {
  return groups.some((group) => group.section?.id === id)
}

/** What a pointer would drag: a row, or the header of an own section. */
function dragSourceOf(target: Element): DragSource | null {
  const row = target.closest<HTMLElement>('[data-row]')
  if (row?.dataset.row) return { kind: 'row', id: row.dataset.row, element: row }
  const head = target.closest<HTMLElement>('[data-header]')
  const part = head?.closest<HTMLElement>('[data-group]')
  if (!head || !part?.dataset.group) return null
  return { kind: 'section', id: part.dataset.group, element: head }
}

/**
 * Tracks a press on the list: a mouse drags on movement, a touch only after a long press; a long press without
 * movement opens the menu.
 */
export function trackPress(list: HTMLElement, down: PointerEvent, context: MoveContext): void {
  const source = down.target instanceof Element ? dragSourceOf(down.target) : null
  if (!source || (down.target as Element).closest('[data-more], [aria-haspopup]')) return
  const movable = source.kind === 'row' || isSection(context, source)
  const isTouch = down.pointerType === 'touch'
  let isPickedUp = !isTouch
  let drag: ReturnType<typeof startDrag> | null = null
  const longPressTimer = isTouch
    ? setTimeout(pick, Math.max(0, LONG_PRESS_MS - (performance.now() - down.timeStamp)))
    : null
  const abort = new AbortController()
  const listen = { signal: abort.signal, capture: true }

  function pick() {
    isPickedUp = true
    list.dataset.moving = ''
    navigator.vibrate?.(10)
  }

  function finish() {
    if (longPressTimer !== null) clearTimeout(longPressTimer)
    delete list.dataset.moving
    drag?.end()
    abort.abort()
  }

  addEventListener(
    'pointermove',
    (event) => {
      if (event.pointerId !== down.pointerId) return
      // Released outside the window, where no `pointerup` arrives.
      if (event.buttons === 0) return finish()
      const isStill = Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) <= MAX_JITTER_PX
      if (isStill && !drag) return
      // A touch that moves before the long press scrolls.
      if (!isPickedUp || !movable) return finish()
      drag ??= startDrag(list, source, context.groups, down)
      drag.moveTo(event.clientX, event.clientY)
    },
    listen,
  )
  addEventListener(
    'pointerup',
    (event) => {
      if (event.pointerId !== down.pointerId) return
      const target = drag?.drop()
      const isLongPress = isTouch && isPickedUp && !drag
      if (drag || isLongPress) swallowClick()
      finish()
      if (isLongPress) context.onMenu(source.element)
      if (!target) return
      if (source.kind === 'section') return moveSectionToPosition(context, source.id, target.index)
      const group = context.groups.find((one) => one.key === target.key)
      if (group) moveToPosition(context, source.id, { group, index: target.index })
    },
    listen,
  )
  addEventListener('pointercancel', finish, listen)
  addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || !drag) return
      event.preventDefault()
      event.stopPropagation()
      swallowClick()
      finish()
    },
    listen,
  )
}

/** The click at the end of a drag would open the conversation. */
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
