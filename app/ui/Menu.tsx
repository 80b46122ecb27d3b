import Check from 'lucide-react/icons/check'
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { Badge } from './Badge.tsx'
import { cx } from './cx.ts'
import { OverlayBoundary } from './ErrorBoundary.tsx'
import { Icon } from './Icon.tsx'
import styles from './Menu.module.css'
import { useLayer } from './useLayer.ts'

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
  /** Shows only the icon, in one row with the compact items beside it. */
  isCompact?: boolean
  /** For radio items: whether this one is selected. */
  checked?: boolean
  /** Shown beside the label. */
  hint?: string
  /** Whether the hint needs attention. */
  isUrgent?: boolean
  /** Whether the menu stays open, because its items are replaced by others. */
  staysOpen?: boolean
}

interface Props {
  label: string
  /** Whether a sheet shows the label as its title: it covers what the menu belongs to. */
  isTitled?: boolean
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

function OpenMenu({ label, isTitled = false, items, anchor, at: point, onClose }: Props) {
  const ref = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState(0)

  const layout = useLayer(ref, anchor, 'below', onClose, point)
  useLayoutEffect(() => {
    const menu = ref.current
    if (!menu) return
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
  }, [onClose])

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
      className={cx(layout, styles.menu)}
      onKeyDown={(event) => {
        event.stopPropagation()
        const to = nextIndex(event, at, items)
        if (to !== null) {
          event.preventDefault()
          setAt(to)
        } else if (event.key === 'Escape' || event.key === 'Tab') {
          event.preventDefault()
          closeMenu()
        }
      }}
    >
      {isTitled ? (
        <p aria-hidden className={styles.title} dir="auto">
          {label}
        </p>
      ) : null}
      {items.map((item, index) => (
        <button
          key={item.id ?? item.label}
          type="button"
          role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
          {...(item.checked === undefined ? {} : { 'aria-checked': item.checked })}
          tabIndex={index === at ? 0 : -1}
          {...(item.isCompact ? { 'aria-label': item.label } : {})}
          className={cx(
            styles.item,
            item.separated && styles.separated,
            item.isCompact && styles.compact,
            item.isDestructive && styles.destructive,
          )}
          onPointerMove={() => setAt(index)}
          onClick={() => {
            if (!item.staysOpen) closeMenu()
            item.onSelect()
          }}
        >
          {item.icon}
          {item.isCompact ? null : <span className={styles.label}>{item.label}</span>}
          {item.hint && item.isUrgent ? <Badge isUrgent>{item.hint}</Badge> : null}
          {item.hint && !item.isUrgent ? <span className={styles.hint}>{item.hint}</span> : null}
          {item.checked ? <Icon of={Check} /> : null}
          {item.keys ? <kbd className={styles.keys}>{item.keys}</kbd> : null}
        </button>
      ))}
    </div>
  )
}

/** The index that a key moves to; null for other keys. */
function nextIndex({ key, currentTarget }: KeyboardEvent, at: number, items: MenuItem[]): number | null {
  const count = items.length
  if (items[at]?.isCompact && (key === 'ArrowLeft' || key === 'ArrowRight')) {
    const isForward = (key === 'ArrowRight') !== (getComputedStyle(currentTarget).direction === 'rtl')
    const to = at + (isForward ? 1 : -1)
    return items[to]?.isCompact ? to : null
  }
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
