import { Suspense, useCallback, useState, type ReactNode } from 'react'
import { lazyComponent } from '../../../../ui/lazyComponent.tsx'

const PresenceMenu = lazyComponent(() => import('./PresenceMenu.tsx'))

interface Props {
  /** The full accessible name, of which the children may show a part. */
  label: string
  className?: string | undefined
  /** As of `PresenceMenu`. */
  bare?: boolean
  children: ReactNode
}

/** The reader's own row: opens the presence menu. */
export function PresenceMenuButton({ label, className, bare = false, children }: Props) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const close = useCallback(() => setAnchor(null), [])
  return (
    <>
      <button
        type="button"
        className={className}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {children}
      </button>
      <Suspense>{anchor ? <PresenceMenu anchor={anchor} bare={bare} onClose={close} /> : null}</Suspense>
    </>
  )
}
