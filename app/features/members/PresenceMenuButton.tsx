import { Suspense, useCallback, useState, type ReactNode } from 'react'
import { lazyComponent } from '../../ui/lazyComponent.tsx'

const PresenceMenu = lazyComponent(() => import('./status/PresenceMenu.tsx'))

interface Props {
  /** The whole name of the button, which its children may only show in part. */
  label: string
  className?: string | undefined
  children: ReactNode
}

/** The reader's own line: pressed, it opens what one can say of oneself. */
export function PresenceMenuButton({ label, className, children }: Props) {
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
      <Suspense>{anchor ? <PresenceMenu anchor={anchor} onClose={close} /> : null}</Suspense>
    </>
  )
}
