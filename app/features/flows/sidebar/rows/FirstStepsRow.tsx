import { i18n } from '@lingui/core'
import ListChecks from 'lucide-react/icons/list-checks'
import { useEffect } from 'react'
import { useFirstSteps } from '../../../../data/administration/firstSteps.ts'
import { useDevicePreference } from '../../../../data/hooks/useDevicePreference.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { useOverlay } from '../../../parts/overlays/OverlayContext.ts'
import styles from './SidebarRow.module.css'

/**
 * Opens the first steps of an owner, with their number; nothing once they are done or hidden. Until they are known, it shows the
 * number of the last visit.
 */
export default function FirstStepsRow() {
  const open = useOverlay()
  const known = useFirstSteps(true)?.length
  const [last, store] = useDevicePreference('firstSteps')
  useEffect(() => {
    if (known !== undefined && known !== last) store(known)
  })
  const count = known ?? last
  if (count === 0) return null
  return (
    <div className={styles.line}>
      <button type="button" className={styles.button} onClick={() => open({ kind: 'first-steps' })}>
        <span className={styles.icon}>
          <Icon of={ListChecks} />
        </span>
        <span className={styles.name}>{i18n._('First steps')}</span>
        <span className={styles.spacer} />
        <span className={styles.count}>{count}</span>
      </button>
    </div>
  )
}
