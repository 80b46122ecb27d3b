import { i18n } from '@lingui/core'
import { useEffect } from 'react'
import { useDevicePreference } from '../../../data/hooks/useDevicePreference.ts'
import { registerPushDevice } from '../../../data/push/pushDevices.ts'
import { pushObstacle } from '../../../data/push/pushObstacle.ts'
import { announce } from '../../../ui/announce.ts'
import { Button } from '../../../ui/Button.tsx'
import { useToast } from '../../../ui/toast.ts'
import styles from './NotificationOffer.module.css'

/** Offers notifications after one was missed. Browsers show their question only after a click. */
export default function NotificationOffer({ onClose }: { onClose: () => void }) {
  const showToast = useToast()
  const [settings, setSettings] = useDevicePreference('notifications')
  const text = i18n._(
    'You got a message while you were away. With notifications, you’ll see the next one right away.',
  )
  useEffect(() => announce(text), [text])
  const close = () => {
    setSettings({ ...settings, isOfferClosed: true })
    onClose()
  }
  const turnOn = async () => {
    const permission = await Notification.requestPermission()
    close()
    if (permission !== 'granted') {
      return showToast({ text: i18n._('You can turn on notifications later, in the settings.') })
    }
    // Without it, open pages still notify. The settings show what prevents it.
    if (pushObstacle() === null) await registerPushDevice()
    showToast({ text: i18n._('Notifications are on.') })
  }
  return (
    <section className={styles.offer} aria-label={i18n._('Notifications')}>
      <p>{text}</p>
      <div className={styles.buttons}>
        <Button variant="quiet" onClick={close}>
          {i18n._('Not now')}
        </Button>
        <Button variant="primary" onClick={() => void turnOn()}>
          {i18n._('Turn on notifications')}
        </Button>
      </div>
    </section>
  )
}
