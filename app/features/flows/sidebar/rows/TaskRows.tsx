import { i18n } from '@lingui/core'
import Bot from 'lucide-react/icons/bot'
import Flag from 'lucide-react/icons/flag'
import ListChecks from 'lucide-react/icons/list-checks'
import UserPlus from 'lucide-react/icons/user-plus'
import { useEffect, useEffectEvent } from 'react'
import { adminTasks } from '../../../../data/administration/adminTasks.ts'
import { useFirstSteps } from '../../../../data/administration/firstSteps.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { useMe } from '../../../parts/members/MeContext.ts'
import { useOverlay } from '../../../parts/overlays/OverlayContext.ts'
import { CountRow } from './CountRow.tsx'
import styles from './SidebarRow.module.css'

const NONE = { reports: 0, requests: 0, integrations: 0 }

/**
 * What owners and admins have to decide, and the first steps of an owner. `onKnown`: gets the number of rows, once all of them
 * are known and whenever it changes.
 */
export default function TaskRows({ onKnown }: { onKnown: (rows: number) => void }) {
  const me = useMe()
  const open = useOverlay()
  const tasks = useQuery(adminTasks).value
  const steps = useFirstSteps(me.role === 'owner')
  const { reports, requests, integrations } = tasks ?? NONE
  const stepCount = steps?.length ?? 0
  const rows =
    tasks && steps ? [reports, requests, integrations, stepCount].filter((count) => count > 0).length : null
  const report = useEffectEvent(onKnown)
  useEffect(() => {
    if (rows !== null) report(rows)
  }, [rows])
  return (
    <>
      {reports > 0 ? (
        <CountRow
          page="moderation"
          icon={Flag}
          name={i18n._('Reports')}
          count={reports}
          label={i18n._('{reports, plural, one {# new report} other {# new reports}}', { reports })}
          isAlert
        />
      ) : null}
      {requests > 0 ? (
        <CountRow
          page="joiningSettings"
          icon={UserPlus}
          name={i18n._('Requests to join')}
          count={requests}
          label={i18n._('{requests, plural, one {# request waiting} other {# requests waiting}}', {
            requests,
          })}
          isAlert
        />
      ) : null}
      {integrations > 0 ? (
        <CountRow
          page="botSettings"
          icon={Bot}
          name={i18n._('Integrations to review')}
          count={integrations}
          label={i18n._(
            '{integrations, plural, one {# integration of a former admin} other {# integrations of former admins}}',
            { integrations },
          )}
          isAlert
        />
      ) : null}
      {stepCount > 0 ? (
        <div className={styles.line}>
          <button type="button" className={styles.button} onClick={() => open({ kind: 'first-steps' })}>
            <span className={styles.icon}>
              <Icon of={ListChecks} />
            </span>
            <span className={styles.name}>{i18n._('First steps')}</span>
            <span className={styles.spacer} />
            <span className={styles.count}>{stepCount}</span>
          </button>
        </div>
      ) : null}
    </>
  )
}
