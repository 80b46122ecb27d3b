import { i18n } from '@lingui/core'
import { useState } from 'react'
import { applicationList, endAccess, type GrantedApplication } from '../../../../data/account/applications.ts'
import { Button } from '../../../../ui/Button.tsx'
import { formatDayAndTime } from '../../../../ui/dates.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { QueryContent } from '../../../../features/parts/lists/QueryContent.tsx'
import { scopeText } from '../../../../features/flows/account/scopeText.ts'
import { SettingsSection } from '../../SettingsSection.tsx'
import { ConfirmDialog } from '../../../../ui/ConfirmDialog.tsx'
import listStyles from '../../SettingsList.module.css'

/** Applications that the user has let in, whose access can be ended. Nothing if there are none. */
export function Applications() {
  const query = useQuery(applicationList)
  const [ending, setEnding] = useState<GrantedApplication | null>(null)
  if (query.value?.length === 0 || (!query.value && !query.failure)) return null
  return (
    <SettingsSection
      title={i18n._('Connected applications')}
      hint={i18n._('Applications that you’ve signed in to with this account.')}
    >
      <QueryContent query={query} loading={i18n._('Connected applications')}>
        {(applications) => (
          <ul className={listStyles.list}>
            {applications.map((application) => (
              <li key={application.client.id} className={listStyles.row}>
                <div className={listStyles.details}>
                  <p>
                    <bdi>{nameOf(application)}</bdi>
                  </p>
                  <p className={listStyles.small}>
                    {application.scopes.length
                      ? application.scopes.map(scopeText).join(' · ')
                      : i18n._('Knows your name and email address only')}
                  </p>
                  <p className={listStyles.small}>
                    {i18n._('Connected {moment}', { moment: formatDayAndTime(application.granted_at) })}
                  </p>
                </div>
                <Button
                  aria-label={i18n._('Disconnect {provider}', { provider: nameOf(application) })}
                  onClick={() => setEnding(application)}
                >
                  {i18n._('Disconnect')}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </QueryContent>
      {ending ? (
        <ConfirmDialog
          title={i18n._('Disconnect {provider}?', { provider: nameOf(ending) })}
          text={i18n._('The application is signed out right away. What it has written stays.')}
          action={i18n._('Disconnect')}
          isDestructive
          doneText={i18n._('Application disconnected.')}
          run={() => endAccess(ending.client.id)}
          onClose={() => setEnding(null)}
        />
      ) : null}
    </SettingsSection>
  )
}

function nameOf({ client }: GrantedApplication): string {
  return client.name || client.uri || client.id
}
