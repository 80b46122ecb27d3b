import { i18n } from '@lingui/core'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { Link, useLocation } from 'wouter'
import { useServerAttention } from '../../../data/administration/attention.ts'
import { useMe } from '../../../features/members/MeContext.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { SETTINGS_PANES } from '../panes.ts'
import { LeaveWorkspace } from './LeaveWorkspace.tsx'
import styles from './OwnSettings.module.css'

/** The panes of the workspace that the user may open, and leaving it. */
export default function OwnWorkspace() {
  const me = useMe()
  const needsAttention = useServerAttention(me.role === 'owner')
  const [, navigate] = useLocation()
  return (
    <>
      <ul className={styles.panes}>
        {SETTINGS_PANES.filter((pane) => pane.isFor(me)).map(({ path, label }) => (
          <li key={path}>
            {/* Going back leads to this section again. */}
            <Link
              href={path}
              className={styles.pane}
              onClick={() => navigate('/settings/workspace', { replace: true })}
            >
              {label()}
              {path === '/settings/health' && needsAttention ? (
                <span className={styles.note}>{i18n._('Needs attention')}</span>
              ) : null}
              <Icon of={ChevronRight} />
            </Link>
          </li>
        ))}
      </ul>
      <div>
        <LeaveWorkspace />
      </div>
    </>
  )
}
