import { i18n } from '@lingui/core'
import { useState } from 'react'
import {
  ownSessions,
  revokeOtherSessions,
  revokeSession,
  type OwnSession,
} from '../../../../data/account/ownSessions.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { QueryContent } from '../../../../features/parts/lists/QueryContent.tsx'
import { useSignOut } from '../../../../features/flows/signOut/useSignOut.ts'
import { Button } from '../../../../ui/Button.tsx'
import { SettingsSection } from '../../SettingsSection.tsx'
import { deviceName } from './deviceName.ts'
import { PhoneSignIn } from './PhoneSignIn.tsx'
import { ConfirmDialog } from '../../../../ui/ConfirmDialog.tsx'
import listStyles from '../../SettingsList.module.css'
import { formatDayAndTime } from '../../../../ui/dates.ts'

/** Active sessions of the account, which can be ended. */
export function Sessions() {
  const query = useQuery(ownSessions)
  const [ending, setEnding] = useState<OwnSession | 'others' | null>(null)
  const signOut = useSignOut()
  const [isAdding, setIsAdding] = useState(false)
  const others = (query.value ?? []).filter(({ current }) => !current)
  return (
    <SettingsSection
      title={i18n._('Active sessions')}
      hint={i18n._('Don’t recognize a device, or no longer have it? Sign it out, then change your password.')}
    >
      <QueryContent query={query} loading={i18n._('Active sessions')}>
        {(sessions) => (
          <ul className={listStyles.list}>
            {sessions.map((session) => (
              <li key={session.id} className={listStyles.row}>
                <div className={listStyles.details}>
                  <p>
                    <bdi>{deviceName(session.user_agent)}</bdi>
                    {session.current ? (
                      <>
                        {' · '}
                        <strong className={listStyles.name}>{i18n._('This device')}</strong>
                      </>
                    ) : null}
                  </p>
                  <p className={listStyles.small}>{sessionDetails(session)}</p>
                </div>
                {session.current ? (
                  <Button onClick={signOut}>{i18n._('Sign out')}</Button>
                ) : (
                  <Button
                    aria-label={i18n._('Sign out {device}', { device: deviceName(session.user_agent) })}
                    onClick={() => setEnding(session)}
                  >
                    {i18n._('Sign out')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </QueryContent>
      <div className={listStyles.buttons}>
        <Button onClick={() => setIsAdding(true)}>{i18n._('Sign in on your phone')}</Button>
        {others.length > 1 ? (
          <Button onClick={() => setEnding('others')}>{i18n._('Sign out all other sessions')}</Button>
        ) : null}
      </div>
      {isAdding ? <PhoneSignIn onDone={() => setIsAdding(false)} onClose={() => setIsAdding(false)} /> : null}
      {ending ? (
        <ConfirmDialog
          title={
            ending === 'others' ? i18n._('Sign out all other sessions?') : i18n._('Sign out this device?')
          }
          text={
            ending === 'others'
              ? i18n._('You’ll be signed out everywhere except here.')
              : i18n._('{device} will be signed out right away.', { device: deviceName(ending.user_agent) })
          }
          action={i18n._('Sign out')}
          isDestructive
          doneText={i18n._('Device signed out.')}
          run={() => (ending === 'others' ? revokeOtherSessions() : revokeSession(ending.id))}
          onClose={() => setEnding(null)}
        />
      ) : null}
    </SettingsSection>
  )
}

function sessionDetails(session: OwnSession): string {
  const seen = i18n._('Last active {moment}', {
    moment: formatDayAndTime(session.refreshed_at ?? session.created_at),
  })
  return session.ip ? `${seen} · ${session.ip}` : seen
}
