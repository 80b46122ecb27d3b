import { i18n } from '@lingui/core'
import { OwnNameField } from '../../../features/flows/account/OwnNameField.tsx'
import { Suspense, useEffect, useState } from 'react'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { joinableWorkspaces, watchOwnRequests } from '../../../data/workspaces/joinWorkspaces.ts'
import { endedMemberships } from '../../../data/session/endedAccess.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { getClientSession } from '../../../data/session/clientSession.ts'
import { signOut, useAccount } from '../../../data/session/account.ts'
import { adoptLanguage } from '../../../ui/language.ts'
import { accountDeletion, cancelAccountDeletion } from '../../../data/account/accountDeletion.ts'
import { useLinnetCommand } from '../../../features/parts/server/useLinnetCommand.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatDayAndTime } from '../../../ui/dates.ts'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import { Page } from '../../../ui/Page.tsx'
import { useAction } from '../../../ui/useAction.ts'
import styles from '../../../features/flows/account/account.module.css'
import { explainEndedMembership } from '../explainEndedAccess.ts'
import { JoinableWorkspaceCard } from './JoinableWorkspaceCard.tsx'

const DeleteAccountDialog = lazyComponent(
  () => import('../../../features/flows/account/DeleteAccountDialog.tsx'),
)

/** The number of former workspaces whose end is explained. */
const MAX_ENDED = 3

/** Shown when the user is signed in but has no workspace: what they can join or request to join. */
export default function NoWorkspace() {
  const account = useAccount()
  const [name, setName] = useState('')
  // Without a confirmed address there is nothing to join.
  const { value: joinable } = useQuery(joinableWorkspaces)
  const { value: ended } = useQuery(endedMemberships)
  const { value: deletion } = useQuery(accountDeletion)
  const linnet = useLinnetCommand()
  const [isDeleting, setDeleting] = useState(false)
  const keeping = useAction()
  const profileId = joinable?.profile_id
  useEffect(() => (profileId ? watchOwnRequests(profileId) : undefined), [profileId])
  // It is no longer shown once the user is in a workspace.
  useEffect(
    () => () => {
      adoptLanguage(getClientSession()?.store.get().workspace?.language)
    },
    [],
  )
  const email = account.email ?? ''
  const workspaces = joinable?.workspaces ?? []
  const isSetUp = joinable?.is_set_up !== false
  const needsName = joinable?.name === null && workspaces.some((one) => one.admission !== null)
  return (
    <Page
      title={
        !isSetUp
          ? i18n._('This server isn’t set up yet')
          : ended && ended.length > 0
            ? i18n._('You’re not in a workspace')
            : i18n._('You’re not in a workspace yet')
      }
      lead={
        !isSetUp
          ? i18n._(
              'You’re signed in as {email}. To get the setup link, run “{linnet} status” on the server. Open the link to create the first workspace.',
              { email, linnet },
            )
          : workspaces.length > 0
            ? i18n._('You’re signed in as {email}.', { email })
            : i18n._(
                'You’re signed in as {email}. Ask a member for an invitation, or open one you’ve already received.',
                { email },
              )
      }
    >
      {(ended ?? []).slice(0, MAX_ENDED).map((one) => (
        <p key={one.workspace_id}>{explainEndedMembership(one.reason, one.workspace_name, one.ended_at)}</p>
      ))}
      {needsName ? <OwnNameField value={name} onChange={setName} /> : null}
      {workspaces.map((workspace) => (
        <JoinableWorkspaceCard
          key={workspace.id}
          workspace={workspace}
          name={needsName ? name.trim() : null}
        />
      ))}
      {deletion?.due_at ? (
        <section className={styles.card}>
          <p role="status">
            {keeping.failure ??
              i18n._('Your account will be deleted: {time}.', { time: formatDayAndTime(deletion.due_at) })}
          </p>
          <div>
            <Button busy={keeping.busy} onClick={() => void keeping.run(cancelAccountDeletion)}>
              {i18n._('Keep my account')}
            </Button>
          </div>
        </section>
      ) : null}
      <div className={styles.options}>
        {deletion && !deletion.due_at ? (
          <Button variant="quiet" onClick={() => setDeleting(true)}>
            {i18n._('Delete account')}
          </Button>
        ) : null}
        <Button variant="quiet" onClick={() => void signOut().then(() => navigate(pathTo('signIn')))}>
          {i18n._('Sign out')}
        </Button>
      </div>
      {isDeleting ? (
        <Suspense>
          <DeleteAccountDialog onClose={() => setDeleting(false)} />
        </Suspense>
      ) : null}
    </Page>
  )
}
