import { i18n } from '@lingui/core'
import { Suspense, useCallback, useState } from 'react'
import { usePresenceChoice } from '../../../data/people/people.ts'
import { useMe } from '../../../features/members/MeContext.ts'
import { expiryText } from '../../../features/members/status/expiryText.ts'
import { Button } from '../../../ui/Button.tsx'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import styles from '../SettingsPane.module.css'

const PresenceMenu = lazyComponent(() => import('../../../features/members/status/PresenceMenu.tsx'))

/** “Do not disturb”, which pauses notifications on all devices. */
export function DoNotDisturb() {
  const { profile } = useMe()
  const isDnd = usePresenceChoice(profile.id) === 'dnd'
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const close = useCallback(() => setAnchor(null), [])
  return (
    <SettingsSection
      title={i18n._('Pause all notifications')}
      hint={i18n._(
        'On all your devices, for example while you’re presenting. Others see “Do not disturb” beside your name.',
      )}
    >
      <div className={styles.line}>
        <p className={styles.text}>
          {isDnd ? i18n._('Paused') : i18n._('Not paused')}{' '}
          <span className={styles.muted}>{isDnd ? expiryText(profile.presence_until) : ''}</span>
        </p>
        <Button
          aria-haspopup="menu"
          aria-expanded={anchor !== null}
          onClick={(event) => setAnchor(event.currentTarget)}
        >
          {i18n._('Do not disturb')}
        </Button>
        <Suspense>{anchor ? <PresenceMenu anchor={anchor} onClose={close} bare /> : null}</Suspense>
      </div>
    </SettingsSection>
  )
}
