import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { PausedWorkspace } from '../../../../wire/people.ts'
import { ownAccount } from '../../../data/account/ownAccount.ts'
import { signInMethods } from '../../../data/account/signInMethods.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { signOut } from '../../../data/session/account.ts'
import { openWorkspace } from '../../../data/session/startClientSession.ts'
import styles from '../../../features/flows/account/account.module.css'
import { AddFactor } from '../../../features/flows/account/AddFactor.tsx'
import { navigate } from '../../../historyState.ts'
import { pathTo } from '../../../paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatDate } from '../../../ui/dates.ts'
import { Page } from '../../../ui/Page.tsx'

/** Shown when the user can open their workspaces only with a second factor: explains it and sets one up. */
export default function SetUpFactor({ paused }: { paused: readonly PausedWorkspace[] }) {
  const [adding, setAdding] = useState(false)
  const { value: account, failure, retry } = useQuery(ownAccount)
  const phone = useQuery(signInMethods).value?.phone ?? false
  const [first] = paused
  const name = first ? isolateBidi(first.name) : ''
  return (
    <Page
      title={i18n._('Set up two-factor authentication')}
      lead={
        first
          ? i18n._(
              '{name} has required it for everyone since {date}. Once you’ve set it up, you can read and write there.',
              {
                name,
                date: formatDate(first.second_factor_from),
              },
            )
          : null
      }
    >
      <p className="muted">
        {i18n._(
          'A second factor is an authenticator app, a security key or this device. You use it at sign-in, so that your email or password alone isn’t enough.',
        )}
      </p>
      {failure ? <p role="alert">{failure.message}</p> : null}
      <div className={styles.stack}>
        <Button
          variant="primary"
          busy={!account && !failure}
          onClick={() => (account ? setAdding(true) : retry())}
        >
          {failure ? i18n._('Try again') : i18n._('Add a two-factor method')}
        </Button>
      </div>
      <div className={styles.options}>
        <Button variant="quiet" onClick={() => void signOut().then(() => navigate(pathTo('signIn')))}>
          {i18n._('Sign out')}
        </Button>
      </div>
      {adding && account ? (
        <AddFactor
          phone={phone}
          taken={account.factors.map((factor) => factor.friendly_name ?? '')}
          onDone={() => {
            setAdding(false)
            void openWorkspace(first?.id ?? null)
          }}
          onClose={() => setAdding(false)}
        />
      ) : null}
    </Page>
  )
}
