import type { ReactNode } from 'react'
import { cx } from '../../../ui/cx.ts'
import { useOverlay } from '../overlays/OverlayContext.ts'
import styles from './PersonButton.module.css'

interface Props {
  /** Profile id. */
  id: string
  /** The name or avatar. */
  children: ReactNode
  className?: string | undefined
  tabIndex?: number
  /** An avatar beside its name: hidden from the keyboard and from screen readers. */
  isDecorative?: boolean
}

/** A name or avatar that opens the person's profile; styled like its content. */
export function PersonButton({ id, children, className, tabIndex, isDecorative = false }: Props) {
  const open = useOverlay()
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-hidden={isDecorative || undefined}
      tabIndex={isDecorative ? -1 : tabIndex}
      className={cx(styles.person, className)}
      onClick={(event) => open({ kind: 'person', id, anchor: event.currentTarget })}
    >
      {children}
    </button>
  )
}

/** A name within text that opens the person's profile. It wraps, and it is selected and copied with the text. */
export function InlinePersonButton({
  id,
  children,
  className,
}: Pick<Props, 'id' | 'children' | 'className'>) {
  const open = useOverlay()
  return (
    <span
      role="button"
      tabIndex={-1}
      aria-haspopup="dialog"
      className={cx(styles.person, styles.inline, className)}
      onClick={(event) => open({ kind: 'person', id, anchor: event.currentTarget })}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        event.stopPropagation()
        open({ kind: 'person', id, anchor: event.currentTarget })
      }}
    >
      {children}
    </span>
  )
}
