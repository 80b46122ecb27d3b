import { Suspense, type ReactNode } from 'react'
import { IconButton } from './IconButton.tsx'
import type { MenuItem } from './Menu.tsx'
import { lazyComponent } from './lazyComponent.tsx'
import { useAnchor } from './useAnchor.ts'

const Menu = lazyComponent(() => import('./Menu.tsx'))

interface Props {
  label: string
  icon: ReactNode
  items: MenuItem[]
  className?: string | undefined
  /** Called when the menu opens or closes. */
  onOpen?: (open: boolean) => void
}

/** An icon button that opens a menu. */
export function MenuButton({ label, icon, items, className, onOpen }: Props) {
  const { ref, anchor, open, close } = useAnchor(onOpen)
  return (
    <>
      <IconButton
        ref={ref}
        label={label}
        icon={icon}
        className={className}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={open}
      />
      <Suspense>
        {anchor ? <Menu label={label} items={items} anchor={anchor} onClose={close} /> : null}
      </Suspense>
    </>
  )
}
