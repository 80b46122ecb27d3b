import { i18n } from '@lingui/core'
import { useEffect, useState, type HTMLAttributes, type RefObject } from 'react'
import { navigate } from '../../../historyState.ts'
import type { SidebarGroup } from '../../../data/sidebar/sections.ts'
import { useToast } from '../../../ui/toast.ts'
import { useToastOnError } from '../../parts/toasts/useToastOnError.ts'

/** A requested menu: of a row, or of a section. */
export interface MenuRequest {
  kind: 'row' | 'section'
  /** Id of the conversation or section. */
  id: string
  /** The element that has the focus before and after. */
  anchor: HTMLElement
  /** Position of the pointer, if it was opened by one. */
  at?: { x: number; y: number } | undefined
}

interface SidebarGestures {
  menu: MenuRequest | null
  closeMenu: () => void
  handlers: HTMLAttributes<HTMLElement>
}

const loadMoving = () => import('./drag/trackPress.ts')
/** Preloaded on hover and focus: it may be needed without a connection. */
const preload = () => void loadMoving().catch(() => {})

/**
 * Event handlers for all rows of the sidebar: context menus by right click, key, button and long press; moves by
 * pointer and keyboard. The code of moves is loaded with the first interaction.
 */
export function useSidebarGestures(
  lists: RefObject<HTMLElement | null>,
  groups: readonly SidebarGroup[],
): SidebarGestures {
  const [menu, setMenu] = useState<MenuRequest | null>(null)
  const runWithToast = useToastOnError()
  const showToast = useToast()

  useEffect(() => {
    const element = lists.current
    // Registered from the start of a touch, or the browser would scroll under the dragged row.
    const preventScroll = (event: TouchEvent) => {
      if (element?.dataset.moving !== undefined) event.preventDefault()
    }
    element?.addEventListener('touchmove', preventScroll, { passive: false })
    return () => element?.removeEventListener('touchmove', preventScroll)
  }, [lists])

  const openMenu = (target: Element, at?: MenuRequest['at']) => {
    const row = target.closest<HTMLElement>('[data-row]')
    const heading = target.closest<HTMLElement>('[data-header]')
    const id = row?.dataset.row ?? heading?.closest<HTMLElement>('[data-group]')?.dataset.group
    const anchor = row?.querySelector('a') ?? heading?.querySelector<HTMLElement>('[data-toggle]')
    if (!id || !anchor) return false
    const kind = row ? 'row' : 'section'
    if (kind === 'section' && groups.every((group) => group.section?.id !== id)) return false
    setMenu({ kind, id, anchor, at })
    return true
  }

  const showLoadError = () => showToast({ text: i18n._('This part of Linnet couldn’t load. Try again.') })
  const moveContext = { groups, runWithToast, onMenu: (target: Element) => void openMenu(target) }

  return {
    menu,
    closeMenu: () => setMenu(null),
    handlers: {
      onPointerEnter: preload,
      onFocus: preload,
      onContextMenu: (event) => {
        // A long press starts a drag; released without movement it opens the menu.
        if ((event.nativeEvent as PointerEvent).pointerType === 'touch') return event.preventDefault()
        if (event.shiftKey) return
        const byPointer = event.clientX > 0 || event.clientY > 0
        const at = byPointer ? { x: event.clientX, y: event.clientY } : undefined
        if (openMenu(event.target as Element, at)) event.preventDefault()
      },
      onClick: (event) => {
        const target = event.target as Element
        const href = target.closest('a')?.getAttribute('href')
        // With a modifier key the browser opens a new tab or window.
        if (href && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey) {
          event.preventDefault()
          return navigate(href)
        }
        const more = target.closest('[data-more]')
        if (!more) return
        const { left, bottom } = more.getBoundingClientRect()
        openMenu(more, { x: left, y: bottom + 4 })
      },
      onKeyDown: (event) => {
        const target = event.target as Element
        if (event.shiftKey && event.key === 'F10') {
          if (openMenu(target)) event.preventDefault()
        } else if (event.altKey && event.shiftKey && /^Arrow(Up|Down)$/.test(event.key)) {
          event.preventDefault()
          const by = event.key === 'ArrowUp' ? -1 : 1
          void loadMoving().then((module) => module.moveByKey(target, by, moveContext), showLoadError)
        } else if (/^Arrow(Up|Down)$/.test(event.key) && !event.altKey && !event.ctrlKey && !event.metaKey) {
          if (moveFocus(event.currentTarget, event.key === 'ArrowUp' ? -1 : 1)) event.preventDefault()
        }
      },
      onPointerDown: (event) => {
        if (event.button !== 0 || !event.isPrimary) return
        const element = lists.current
        const press = event.nativeEvent
        if (!element) return
        // Released before the code was loaded: there is nothing to drag, and the next release doesn't belong to this
        // press.
        let isReleased = false
        const release = () => {
          isReleased = true
        }
        for (const name of ['pointerup', 'pointercancel'])
          addEventListener(name, release, { capture: true, once: true })
        void loadMoving().then((module) => {
          if (!isReleased) module.trackPress(element, press, moveContext)
        }, showLoadError)
      },
    },
  }
}

/** Focuses the next row or header. Returns whether the focus was in the list. */
function moveFocus(list: Element, by: 1 | -1): boolean {
  const stops = [...list.querySelectorAll<HTMLElement>('a, [data-toggle]')]
  const at = stops.findIndex((stop) => stop === document.activeElement)
  if (at < 0) return false
  stops[at + by]?.focus()
  return true
}
