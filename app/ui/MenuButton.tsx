import { useCallback, useRef, useState, type ReactNode } from 'react'
import { IconButton } from './IconButton.tsx'
import { Menu, type MenuItem } from './Menu.tsx'

interface Props {
  label: string
  icon: ReactNode
  items: MenuItem[]
  className?: string | undefined
}

/** A picture that opens a menu. */
export function MenuButton({ label, icon, items, className }: Props) {
  const ref = useRef<HTMLButtonElement>(null)
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const close = useCallback(() => setAnchor(null), [])
  return (
    <>
      <IconButton
        ref={ref}
        label={label}
        icon={icon}
        className={className}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={() => setAnchor(anchor ? null : ref.current)}
      />
      {anchor ? <Menu label={label} items={items} anchor={anchor} onClose={close} /> : null}
    </>
  )
}
