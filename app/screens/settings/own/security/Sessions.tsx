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
import { EditableList } from '../../EditableList.tsx'
import { SettingsSection } from '../../SettingsSection.tsx'
import { deviceName } from './deviceName.ts'
import { PhoneSignIn } from './PhoneSignIn.tsx'
import { ConfirmDialog } from '../../../../ui/ConfirmDialog.tsx'
import listStyles from '../../SettingsList.module.css'
import { formatDayAndTime } from '../../../../ui/dates.ts'

/** Active sessions of the account, which can be ended. */
export function Sessions() {
  const query = useQuery(ownSessions)
  const [isEndingOthers, setEndingOthers] = useState(false)
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
          <EditableList
            items={sessions}
            keyOf={({ id }) => id}
            actions={({ id, user_agent, current }) => {
              const text = i18n._('Sign out')
              const device = deviceName(user_agent)
              if (current) return [{ text, label: text, onClick: signOut }]
              const confirm = {
                title: i18n._('Sign out this device?'),
                text: i18n._('{device} will be signed out right away.', { device }),
                action: text,
                isDestructive: true,
                doneText: i18n._('Device signed out.'),
                run: () => revokeSession(id),
              }
              return [{ text, label: i18n._('Sign out {device}', { device }), confirm }]
            }}
          >
            {(session) => (
              <>
                <p>
                  <bdi>{deviceName(session.user_agent)}</bdi>
                  {session.current ? (
                    <>
                      {' · '}
                      <strong className={listStyles.name}>{i18n._('This device')}</strong>
                    </>
                  ) : null}
                </p>
                <p className="note">{sessionDetails(session)}</p>
              </>
            )}
          </EditableList>
        )}
      </QueryContent>
      <div className={listStyles.buttons}>
        <Button onClick={() => setIsAdding(true)}>{i18n._('Sign in on your phone')}</Button>
        {others.length > 1 ? (
          <Button onClick={() => setEndingOthers(true)}>{i18n._('Sign out all other sessions')}</Button>
        ) : null}
      </div>
      {isAdding ? <PhoneSignIn onDone={() => setIsAdding(false)} onClose={() => setIsAdding(false)} /> : null}
      {isEndingOthers ? (
        <ConfirmDialog
          title={i18n._('Sign out all other sessions?')}
          text={i18n._('You’ll be signed out everywhere except here.')}
          action={i18n._('Sign out')}
          isDestructive
          doneText={i18n._('Device signed out.')}
          run={revokeOtherSessions}
          onClose={() => setEndingOthers(false)}
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
