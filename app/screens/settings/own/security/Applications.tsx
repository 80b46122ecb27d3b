import { i18n } from '@lingui/core'
import { applicationList, endAccess, type GrantedApplication } from '../../../../data/account/applications.ts'
import { formatDayAndTime } from '../../../../ui/dates.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { QueryContent } from '../../../../features/parts/lists/QueryContent.tsx'
import { scopeText } from '../../../../features/flows/account/scopeText.ts'
import { EditableList } from '../../EditableList.tsx'
import { SettingsSection } from '../../SettingsSection.tsx'

/** Applications that the user has let in, whose access can be ended. Nothing if there are none. */
export function Applications() {
  const query = useQuery(applicationList)
  if (query.value?.length === 0) return null
  return (
    <SettingsSection
      title={i18n._('Connected applications')}
      hint={i18n._('Applications that you’ve signed in to with this account.')}
    >
      <QueryContent query={query} loading={i18n._('Connected applications')}>
        {(applications) => (
          <EditableList
            items={applications}
            keyOf={({ client }) => client.id}
            actions={(application) => {
              const provider = nameOf(application)
              return [
                {
                  text: i18n._('Disconnect'),
                  label: i18n._('Disconnect {provider}', { provider }),
                  confirm: {
                    title: i18n._('Disconnect {provider}?', { provider }),
                    text: i18n._('The application is signed out right away. What it has written stays.'),
                    action: i18n._('Disconnect'),
                    isDestructive: true,
                    doneText: i18n._('Application disconnected.'),
                    run: () => endAccess(application.client.id),
                  },
                },
              ]
            }}
          >
            {(application) => (
              <>
                <p>
                  <bdi>{nameOf(application)}</bdi>
                </p>
                <p className="note">
                  {application.scopes.length
                    ? application.scopes.map(scopeText).join(' · ')
                    : i18n._('Can see only your name and email address')}
                </p>
                <p className="note">
                  {i18n._('Connected {moment}', { moment: formatDayAndTime(application.granted_at) })}
                </p>
              </>
            )}
          </EditableList>
        )}
      </QueryContent>
    </SettingsSection>
  )
}

function nameOf({ client }: GrantedApplication): string {
  return client.name || client.uri || client.id
}
