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
  /** A face beside its name: by keyboard and to listeners the name is enough. */
  twin?: boolean
}

/** A name or face that opens its person's card; it looks like what is in it. */
export function PersonButton({ id, children, className, twin = false }: Props) {
  const open = useOverlay()
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      {...(twin ? { tabIndex: -1, 'aria-hidden': true } : {})}
      className={cx(styles.person, className)}
      onClick={(event) => open({ kind: 'person', id, anchor: event.currentTarget })}
    >
      {children}
    </button>
  )
}
