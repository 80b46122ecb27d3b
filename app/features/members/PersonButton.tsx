import type { ReactNode } from 'react'
import { cx } from '../../ui/cx.ts'
import { useOverlay } from '../overlays/OverlayContext.ts'
import styles from './PersonButton.module.css'

interface Props {
  /** Profile id. */
  id: string
  /** The name or face as it stands here. */
  children: ReactNode
  className?: string | undefined
  tabIndex?: number
  /** A face beside its name: by keyboard and to listeners the name is enough. */
  isDecorative?: boolean
}

/** A name or face that opens its person's card; it looks like what is in it. */
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

/** The same for a name among other words: it breaks with them, and is marked and copied with them. */
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
