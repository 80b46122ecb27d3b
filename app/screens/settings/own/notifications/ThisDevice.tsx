import { i18n } from '@lingui/core'
import { useEffect, useState } from 'react'
import { useDevicePreference } from '../../../../data/hooks/useDevicePreference.ts'
import { changeHidesContent } from '../../../../data/push/pushDevices.ts'
import { playTone } from '../../../../features/flows/notifications/playTone.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Switch } from '../../../../ui/Switch.tsx'
import { SettingsSection } from '../../SettingsSection.tsx'
import { SettingSwitch } from '../../SettingSwitch.tsx'
import styles from '../../SettingsPane.module.css'

type Permission = NotificationPermission | 'insecure' | 'unsupported'

function currentPermission(): Permission {
  // Over http, browsers deny the permission and have no setting that grants it.
  if (!isSecureContext) return 'insecure'
  return 'Notification' in globalThis ? Notification.permission : 'unsupported'
}

/** Notifications by the open pages of this browser: the permission, the sound, and a pause. */
export function ThisDevice() {
  const [permission, setPermission] = useState(currentPermission)
  const [settings, setSettings] = useDevicePreference('notifications')
  const { sound, paused, hidesContent } = settings
  useEffect(() => {
    const update = () => setPermission(currentPermission())
    // The reader comes back from the settings of the browser.
    addEventListener('focus', update)
    return () => removeEventListener('focus', update)
  }, [])
  const request = async () => {
    await Notification.requestPermission()
    setPermission(currentPermission())
  }
  return (
    <SettingsSection
      title={i18n._('While Linnet is open on this device')}
      hint={i18n._('Even when you’re using another tab or app.')}
    >
      {permission === 'granted' ? (
        <>
          <Switch
            label={i18n._('Play a sound')}
            checked={sound}
            onChange={(isOn) => {
              setSettings({ ...settings, sound: isOn })
              if (isOn) void playTone().catch(() => {})
            }}
          />
          <Switch
            label={i18n._('Pause notifications on this device')}
            hint={i18n._('For example while you share your screen. Your other devices still notify you.')}
            checked={paused}
            onChange={(isPaused) => setSettings({ ...settings, paused: isPaused })}
          />
          <SettingSwitch
            label={i18n._('Hide message content')}
            hint={i18n._(
              'Notifications on this device only say that there’s something new, not who wrote what, even when Linnet is closed.',
            )}
            saved={hidesContent}
            save={changeHidesContent}
          />
        </>
      ) : (
        <>
          <p role="status">{permissionSentence(permission)}</p>
          {permission === 'default' ? (
            <div className={styles.line}>
              <Button variant="primary" onClick={() => void request()}>
                {i18n._('Turn on notifications')}
              </Button>
            </div>
          ) : null}
        </>
      )}
    </SettingsSection>
  )
}

function permissionSentence(permission: Exclude<Permission, 'granted'>): string {
  switch (permission) {
    case 'default':
      return i18n._('Your browser will ask whether Linnet can send you notifications.')
    case 'denied':
      return i18n._(
        'Your browser is blocking notifications from Linnet. Use the icon beside the address to open the site settings, allow notifications, then come back here. If that doesn’t help, check that your device allows notifications from the browser.',
      )
    case 'insecure':
      return i18n._(
        'Browsers show notifications only on websites with HTTPS, which this server doesn’t use. Only the person who runs the server can change this.',
      )
    case 'unsupported':
      return i18n._('This browser can’t show notifications. You need an up-to-date browser.')
  }
}
