import { i18n } from '@lingui/core'
import ChevronDown from 'lucide-react/icons/chevron-down'
import { Suspense, useCallback, useId, useState } from 'react'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import { useMe } from '../../parts/members/MeContext.ts'
import styles from './Sidebar.module.css'

const UnreadElsewhere = lazyComponent(() => import('./menu/UnreadElsewhere.tsx'))
const ServerProblem = lazyComponent(() => import('./menu/ServerProblem.tsx'))
const WorkspaceItems = lazyComponent(() => import('./menu/WorkspaceItems.tsx'))

/**
 * The menu of the workspace, with a dot while something is unread in another one of the user, and a warning sign while the
 * server needs the attention of an owner.
 */
export function WorkspaceMenu({ hasOthers }: { hasOthers: boolean }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const close = useCallback(() => setAnchor(null), [])
  const isOwner = useMe().role === 'owner'
  const label = i18n._('Workspace menu')
  const unreadId = useId()
  const problemId = useId()
  return (
    <>
      <IconButton
        label={label}
        icon={
          <>
            <Icon of={ChevronDown} />
            <Suspense>{hasOthers ? <UnreadElsewhere id={unreadId} /> : null}</Suspense>
            <Suspense>{isOwner ? <ServerProblem id={problemId} /> : null}</Suspense>
          </>
        }
        className={styles.menu}
        aria-describedby={`${unreadId} ${problemId}`}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      />
      <Suspense>{anchor ? <WorkspaceItems label={label} anchor={anchor} onClose={close} /> : null}</Suspense>
    </>
  )
}
