import Check from 'lucide-react/icons/check'
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { cx } from './cx.ts'
import { OverlayBoundary } from './ErrorBoundary.tsx'
import { Icon } from './Icon.tsx'
import styles from './Menu.module.css'

export interface MenuItem {
  /** Where labels are not unique. */
  id?: string
  label: string
  icon?: ReactNode
  /** The keyboard shortcut. */
  keys?: string
  onSelect: () => void
  /** Whether it destroys something, and looks like it. */
  isDestructive?: boolean
  /** Draws a separator above. */
  separated?: boolean
  /** For radio items: whether this one is selected. */
  checked?: boolean
  /** Shown beside the label. */
  hint?: string
  /** Whether the hint needs attention. */
  isUrgent?: boolean
  /** Another menu replaces this one: the focus doesn't return to the anchor in between. */
  keepsFocus?: boolean
}

interface Props {
  label: string
  items: MenuItem[]
  /** The element it opens from: it is placed below, or above if there is no space. */
  anchor: HTMLElement
  /** Position of the pointer that opened it, in viewport pixels: it is placed there instead. */
  at?: { x: number; y: number } | undefined
  onClose: () => void
}

/**
 * A menu based on the popover API. Arrow keys move, a letter jumps, Enter selects, Escape and Tab close; the focus
 * returns to the anchor.
 */
export default function Menu(props: Props) {
  return (
    <OverlayBoundary onClose={props.onClose}>
      <OpenMenu {...props} />
    </OverlayBoundary>
  )
}

function OpenMenu({ label, items, anchor, at: point, onClose }: Props) {
  const ref = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState(0)

  useLayoutEffect(() => {
    const menu = ref.current
    if (!menu) return
    if (!menu.matches(':popover-open')) menu.showPopover()
    placeBelow(menu, point ? new DOMRect(point.x, point.y - 4, 0, 4) : anchor.getBoundingClientRect())
    // Not `popover="auto"`: it closes when a button is released, also the right one that opened the menu.
    const onPointerDown = (event: PointerEvent) => {
      if (event.target instanceof Node && !menu.contains(event.target)) onClose()
    }
    document.addEventListener('pointerdown', onPointerDown, true)
    addEventListener('blur', onClose)
    return () => {
      document.removeEventListener('pointerdown', onPointerDown, true)
      removeEventListener('blur', onClose)
    }
  }, [anchor, point, onClose])

  useEffect(() => {
    const button = ref.current?.querySelectorAll<HTMLElement>('[role^=menuitem]')[at]
    button?.focus({ preventScroll: true })
  }, [at])

  function closeMenu() {
    anchor.focus({ preventScroll: true })
    onClose()
  }

  return (
    <div
      ref={ref}
      popover="manual"
      role="menu"
      aria-label={label}
      tabIndex={-1}
      className={styles.menu}
      onKeyDown={(event) => {
        event.stopPropagation()
        const to = nextIndex(event.key, at, items)
        if (to !== null) {
          event.preventDefault()
          setAt(to)
        } else if (event.key === 'Escape' || event.key === 'Tab') {
          event.preventDefault()
          closeMenu()
        }
      }}
    >
      {items.map((item, index) => (
        <button
          key={item.id ?? item.label}
          type="button"
          role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
          {...(item.checked === undefined ? {} : { 'aria-checked': item.checked })}
          tabIndex={index === at ? 0 : -1}
          className={cx(
            styles.item,
            item.separated && styles.separated,
            item.isDestructive && styles.destructive,
          )}
          onPointerMove={() => setAt(index)}
          onClick={() => {
            if (!item.keepsFocus) closeMenu()
            item.onSelect()
          }}
        >
          {item.icon}
          <span className={styles.label}>{item.label}</span>
          {item.hint ? (
            <span className={cx(styles.hint, item.isUrgent && styles.urgent)}>{item.hint}</span>
          ) : null}
          {item.checked ? <Icon of={Check} /> : null}
          {item.keys ? <kbd className={styles.keys}>{item.keys}</kbd> : null}
        </button>
      ))}
    </div>
  )
}

/** The index that a key moves to; null for other keys. */
function nextIndex(key: string, at: number, items: MenuItem[]): number | null {
  const count = items.length
  if (key === 'ArrowDown') return (at + 1) % count
  if (key === 'ArrowUp') return (at + count - 1) % count
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  if (key.length !== 1 || key === ' ') return null
  const letter = key.toLocaleLowerCase()
  for (let step = 1; step <= count; step++) {
    const index = (at + step) % count
    if (items[index]?.label.toLocaleLowerCase().startsWith(letter)) return index
  }
  return null
}

function placeBelow(menu: HTMLElement, from: DOMRect) {
  const { width, height } = menu.getBoundingClientRect()
  const below = from.bottom + 4 + height <= innerHeight - 8
  menu.style.top = `${Math.max(8, below ? from.bottom + 4 : from.top - 4 - height)}px`
  const left = from.left + width <= innerWidth - 8 ? from.left : from.right - width
  menu.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`
}
