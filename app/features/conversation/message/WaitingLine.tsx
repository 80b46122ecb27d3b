import { i18n } from '@lingui/core'
import Clock from 'lucide-react/icons/clock'
import { useConnection } from '../../../data/session/useWorkspace.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useDelayed } from '../../../ui/useDelayed.ts'
import { Ellipsis } from '../../parts/icons.ts'
import rowStyles from './MessageRow.module.css'

interface Props {
  isMenuOpen: boolean
  onMenu: (anchor: HTMLElement) => void
}

/** The progress of a message that is sent late, and the button of its menu. */
export default function WaitingLine({ isMenuOpen, onMenu }: Props) {
  const offline = useConnection() === 'offline'
  const isOfflinePending = useDelayed(offline, 500)
  const isLate = useDelayed(true, 3_000)
  if (!isOfflinePending && !isLate) return null
  return (
    <div className={rowStyles.waiting}>
      <Icon of={Clock} />
      <p role="status">
        {isOfflinePending
          ? i18n._('Not sent yet. It’ll be sent when you’re back online.')
          : i18n._('Sending…')}
      </p>
      <IconButton
        label={i18n._('More actions')}
        icon={<Icon of={Ellipsis} />}
        aria-haspopup="menu"
        aria-expanded={isMenuOpen}
        onClick={(event) => onMenu(event.currentTarget)}
      />
    </div>
  )
}
