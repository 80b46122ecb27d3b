import { i18n } from '@lingui/core'
import type { NotificationPreferences } from '../../../../../wire/notifications.ts'
import { mailAvailability } from '../../../../data/notifications/mailServer.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { useLoading } from '../../../../features/parts/lists/LoadTogether.tsx'
import { SelectField } from '../../../../ui/SelectField.tsx'
import { Switch } from '../../../../ui/Switch.tsx'
import type { Language } from '../../../../../wire/languages.ts'
import { languageOptions } from '../../../../ui/inLanguage.ts'
import { SettingsSection } from '../../SettingsSection.tsx'
import type { SavePreferences } from './useSavePreferences.ts'

interface Props {
  preferences: NotificationPreferences
  save: SavePreferences
}

/** Whether unread mentions and direct messages are sent by mail, and in which language. */
export function MailSettings({ preferences: { mail, mail_language: language }, save }: Props) {
  // Undefined also where the server can't be reached: then the preference can be changed nevertheless.
  const { value: isAvailable, failure } = useQuery(mailAvailability)
  useLoading(isAvailable === undefined && !failure)
  return (
    <SettingsSection title={i18n._('Email')}>
      {isAvailable === false ? (
        <p className="muted">
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
            <SelectField<Language | ''>
              label={i18n._('Email language')}
              value={language ?? ''}
              options={[{ value: '', label: i18n._('Same as the workspace') }, ...languageOptions]}
              onChange={(next) => void save({ mail_language: next || null })}
            />
          ) : null}
        </>
      )}
    </SettingsSection>
  )
}
