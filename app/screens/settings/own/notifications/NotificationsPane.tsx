import { i18n } from '@lingui/core'
import type { NotificationPreferences } from '../../../../../wire/notifications.ts'
import { useNotificationPreferences } from '../../../../data/notifications/preferences.ts'
import { LoadTogether } from '../../../../features/parts/lists/LoadTogether.tsx'
import { QueryContent } from '../../../../features/parts/lists/QueryContent.tsx'
import { useMe } from '../../../../features/parts/members/MeContext.ts'
import { RadioGroup } from '../../../../ui/RadioGroup.tsx'
import { Switch } from '../../../../ui/Switch.tsx'
import { PaneFrame } from '../../PaneFrame.tsx'
import { SettingsSection } from '../../SettingsSection.tsx'
import { Keywords } from './Keywords.tsx'
import { MailSettings } from './MailSettings.tsx'
import { MayInterrupt } from './MayInterrupt.tsx'
import { PushDevices } from './PushDevices.tsx'
import { QuietHours } from './QuietHours.tsx'
import { ThisDevice } from './ThisDevice.tsx'
import { useSavePreferences } from './useSavePreferences.ts'

/** The user's own notification preferences of the workspace, and their devices. */
export default function NotificationsPane() {
  return (
    <PaneFrame>
      <LoadTogether>
        <PushDevices />
        <ThisDevice />
        <QueryContent query={useNotificationPreferences()} loading={i18n._('Loading your settings')}>
          {(preferences) => <Preferences preferences={preferences} />}
        </QueryContent>
      </LoadTogether>
    </PaneFrame>
  )
}

function Preferences(props: { preferences: NotificationPreferences }) {
  const [preferences, save] = useSavePreferences(props.preferences)
  const showsReceipts = useMe().workspace.read_receipts !== undefined
  const { quiet_from, quiet_to, time_zone } = preferences
  return (
    <>
      <SettingsSection
        title={i18n._('Notify me about')}
        hint={i18n._(
          'You can set this separately for each channel, in its menu or details. You’re notified about every direct message, unless you change that in the conversation’s menu.',
        )}
      >
        <RadioGroup
          label={i18n._('Notify me about')}
          hideLabel
          value={preferences.level}
          options={[
            { value: 'all', label: i18n._('All messages') },
            { value: 'mentions', label: i18n._('Mentions, keywords and threads you follow') },
            { value: 'nothing', label: i18n._('Direct messages only') },
          ]}
          onChange={(level) => void save({ level })}
        />
      </SettingsSection>
      <SettingsSection
        title={i18n._('Keywords')}
        hint={i18n._(
          'An edit notifies you only if you haven’t read the message yet and the edit adds a mention of you or one of your keywords.',
        )}
      >
        <Keywords keywords={preferences.keywords} save={save} />
      </SettingsSection>
      <SettingsSection
        title={i18n._('Quiet hours')}
        hint={i18n._('New messages are still counted, but you’re not notified about them.')}
      >
        <QuietHours key={`${quiet_from} ${quiet_to} ${time_zone}`} preferences={preferences} save={save} />
      </SettingsSection>
      <MailSettings preferences={preferences} save={save} />
      <MayInterrupt chosen={preferences.may_interrupt} save={save} />
      {showsReceipts ? (
        <SettingsSection title={i18n._('Read receipts')}>
          <Switch
            label={i18n._('Show when I have read messages')}
            hint={i18n._(
              'In conversations of up to 12 people, everyone who shows it too can see it. You can see theirs in the menu of a message, under “Who can read this?”.',
            )}
            checked={preferences.shares_reads}
            onChange={(shares_reads) => void save({ shares_reads })}
          />
        </SettingsSection>
      ) : null}
    </>
  )
}
