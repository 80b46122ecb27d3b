import { i18n } from '@lingui/core'
import type { Uuid } from '../../../../wire/scalars.ts'
import type { Workspace } from '../../../../wire/people.ts'
import { endedMemberships } from '../../../data/session/endedAccess.ts'
import { openWorkspace } from '../../../data/session/startClientSession.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { pathTo } from '../../../paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Page } from '../../../ui/Page.tsx'
import styles from '../../../features/flows/account/account.module.css'
import { explainEndedMembership } from '../explainEndedAccess.ts'

interface Props {
  /** The workspace that was shown. */
  ended: Uuid
  /** The user's other workspaces. */
  workspaces: readonly Workspace[]
}

/** Shown when the membership of the open workspace has ended: why, when, and the workspaces that the user can open. */
export default function WorkspaceEnded({ ended, workspaces }: Props) {
  const { value, failure } = useQuery(endedMemberships)
  const one = value?.find(({ workspace_id }) => workspace_id === ended)
  if (!value && !failure) return null
  return (
    <Page
      title={i18n._('You’re no longer in this workspace')}
      lead={one ? explainEndedMembership(one.reason, one.workspace_name, one.ended_at) : undefined}
    >
      <div className={styles.choices}>
        {workspaces.map(({ id, name }) => (
          <Button key={id} onClick={() => void openWorkspace(id, pathTo('home'))}>
            {i18n._('Open {name}', { name })}
          </Button>
        ))}
      </div>
    </Page>
  )
}
