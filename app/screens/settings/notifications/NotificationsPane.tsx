import { i18n } from '@lingui/core'
import type { NotificationPreferences } from '../../../../wire/notifications.ts'
import {
  useNotificationPreferences,
  useNotificationPreferencesFailure,
} from '../../../data/notifications/preferences.ts'
import { Button } from '../../../ui/Button.tsx'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { PHONE, useMedia } from '../../../ui/useMedia.ts'
import { PaneHeader } from '../../conversation/PaneHeader.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import paneStyles from '../SettingsPane.module.css'
import { DoNotDisturb } from './DoNotDisturb.tsx'
import { Keywords } from './Keywords.tsx'
import { MailSettings } from './MailSettings.tsx'
import { MayInterrupt } from './MayInterrupt.tsx'
import { PushDevices } from './PushDevices.tsx'
import { QuietHours } from './QuietHours.tsx'
import { ThisDevice } from './ThisDevice.tsx'
import { useSavePreferences } from './useSavePreferences.ts'

/** The user's own notification preferences of the workspace, and their devices. */
export default function NotificationsPane({ onClose }: { onClose: () => void }) {
  const isPhone = useMedia(PHONE)
  const preferences = useNotificationPreferences()
  const failure = useNotificationPreferencesFailure()
  return (
    <section className={paneStyles.settings} aria-label={i18n._('Notifications')}>
      <PaneHeader title={i18n._('Notifications')} back="/settings">
        {isPhone ? null : (
          <Button variant="quiet" onClick={onClose}>
            {i18n._('All settings')}
          </Button>
        )}
      </PaneHeader>
      <div className={paneStyles.scroller}>
        <div className={paneStyles.column}>
          <ThisDevice />
          {preferences ? <Preferences preferences={preferences} /> : null}
          {preferences || failure ? null : <Skeleton label={i18n._('Loading your settings')} />}
          {failure ? <p role="alert">{failure.message}</p> : null}
          <PushDevices />
        </div>
      </div>
    </section>
  )
}

function Preferences({ preferences }: { preferences: NotificationPreferences }) {
  const save = useSavePreferences()
  const { quiet_from, quiet_to, time_zone } = preferences
  return (
    <>
      <SettingsSection
        title={i18n._('What notifies you')}
        hint={i18n._(
          'In channels without a setting of their own, which you find in a channel’s menu and details. Direct messages always notify you unless you change that there.',
        )}
      >
        <RadioGroup
          label={i18n._('What notifies you')}
          hideLabel
          value={preferences.level}
          options={[
            { value: 'all', label: i18n._('All messages') },
            { value: 'mentions', label: i18n._('Mentions, keywords and followed threads') },
            { value: 'nothing', label: i18n._('Direct messages only') },
          ]}
          onChange={(level) => void save({ level })}
        />
      </SettingsSection>
      <SettingsSection title={i18n._('Keywords')}>
        <Keywords keywords={preferences.keywords} />
      </SettingsSection>
      <SettingsSection
        title={i18n._('Quiet hours')}
        hint={i18n._('Messages are counted, but nothing notifies you.')}
      >
        <QuietHours key={`${quiet_from} ${quiet_to} ${time_zone}`} preferences={preferences} save={save} />
      </SettingsSection>
      <MailSettings preferences={preferences} save={save} />
      <DoNotDisturb />
      <MayInterrupt chosen={preferences.may_interrupt} save={save} />
    </>
  )
}
