import { i18n } from '@lingui/core'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { Link } from '../../../ui/Link.tsx'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { useServerAttention } from '../../../data/administration/attention.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { SETTINGS } from '../settingsRoutes.ts'
import { LeaveWorkspace } from './LeaveWorkspace.tsx'
import styles from './OwnSettings.module.css'

/** The panes of the workspace that the user may open, and leaving it. */
export default function OwnWorkspace() {
  const me = useMe()
  const needsAttention = useServerAttention(me.role === 'owner')
  return (
    <>
      <ul className={styles.panes}>
        {SETTINGS.filter((route) => route.isWorkspaceSettings && route.isFor(me)).map(
          ({ name, path, title }) => (
            <li key={name}>
              {/* Going back leads to this section again. */}
              <Link
                href={path}
                className={styles.pane}
                onClick={() => navigate(pathTo('workspaceSettings'), { replace: true })}
              >
                {title()}
                {name === 'serverHealth' && needsAttention ? (
                  <span className={styles.note}>{i18n._('Needs attention')}</span>
                ) : null}
                <Icon of={ChevronRight} />
              </Link>
            </li>
          ),
        )}
      </ul>
      <div>
        <LeaveWorkspace />
      </div>
    </>
  )
}
