import ChevronDown from 'lucide-react/icons/chevron-down'
import { Suspense } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import type { MenuItem } from '../../../ui/Menu.tsx'
import { useAnchor } from '../../../ui/useAnchor.ts'
import styles from './SelectionActions.module.css'

const Menu = lazyComponent(() => import('../../../ui/Menu.tsx'))

interface Props {
  label: string
  items: MenuItem[]
  variant?: 'primary' | 'plain'
  busy?: boolean
}

/** A button with a label that opens a menu of actions. */
export function ActionsMenu({ label, items, variant = 'plain', busy = false }: Props) {
  const { ref, anchor, open, close } = useAnchor()
  return (
    <>
      <Button
        ref={ref}
        variant={variant}
        busy={busy}
        className={styles.menu}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={open}
      >
        {label}
        <Icon of={ChevronDown} />
      </Button>
      <Suspense>
        {anchor ? <Menu label={label} items={items} anchor={anchor} onClose={close} /> : null}
      </Suspense>
    </>
  )
}
