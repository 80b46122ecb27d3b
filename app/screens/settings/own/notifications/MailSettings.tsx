import { i18n } from '@lingui/core'
import { useId } from 'react'
import type { NotificationPreferences } from '../../../../../wire/notifications.ts'
import { mailAvailability } from '../../../../data/notifications/mailServer.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { Switch } from '../../../../ui/Switch.tsx'
import type { Language } from '../../../../../wire/languages.ts'
import { languageOptions } from '../../../../ui/inLanguage.ts'
import { SettingsSection } from '../../SettingsSection.tsx'
import paneStyles from '../../SettingsPane.module.css'
import type { SavePreferences } from './useSavePreferences.ts'

interface Props {
  preferences: NotificationPreferences
  save: SavePreferences
}

/** Whether unread mentions and direct messages are sent by mail, and in which language. */
export function MailSettings({ preferences: { mail, mail_language: language }, save }: Props) {
  const id = useId()
  // Undefined also where the server can't be reached: then the preference can be changed nevertheless.
  const { value: isAvailable } = useQuery(mailAvailability)
  return (
    <SettingsSection title={i18n._('Email')}>
      {isAvailable === false ? (
        <p className={paneStyles.muted}>
          {i18n._('This server doesn’t send emails. Ask the person who runs it to set up a mail server.')}
        </p>
      ) : (
        <>
          <Switch
            label={i18n._('Email me about unread mentions and direct messages')}
            hint={i18n._(
              'Only if you haven’t opened Linnet for a while and none of your devices has notified you. One email can include several messages.',
            )}
            checked={mail}
            onChange={(next) => void save({ mail: next })}
          />
          {mail ? (
            <div className={paneStyles.choice}>
              <label htmlFor={id} className={paneStyles.label}>
                {i18n._('Email language')}
              </label>
              <select
                id={id}
                value={language ?? ''}
                onChange={(event) =>
                  void save({ mail_language: (event.currentTarget.value || null) as Language | null })
                }
              >
                <option value="">{i18n._('Same as the server')}</option>
                {languageOptions.map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            </div>
          ) : null}
        </>
      )}
    </SettingsSection>
  )
}
