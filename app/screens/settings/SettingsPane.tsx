import { i18n } from '@lingui/core'
import { Suspense } from 'react'
import { Link, useLocation } from 'wouter'
import { mayAddEmoji } from '../../data/emoji/changeEmoji.ts'
import { useSignOut } from '../../features/signOut/useSignOut.ts'
import { useMe } from '../../features/members/MeContext.ts'
import { Button } from '../../ui/Button.tsx'
import { lazyComponent } from '../../ui/lazyComponent.tsx'
import { PaneHeader } from '../conversation/PaneHeader.tsx'
import { About } from './About.tsx'
import { Appearance } from './Appearance.tsx'
import { OwnProfile } from './OwnProfile.tsx'
import { SettingsSection } from './SettingsSection.tsx'
import styles from './SettingsPane.module.css'
import { WorkspaceSettings } from './WorkspaceSettings.tsx'

const BotsPane = lazyComponent(() => import('./bots/BotsPane.tsx'))
const EmojiPane = lazyComponent(() => import('./emoji/EmojiPane.tsx'))
const NotificationsPane = lazyComponent(() => import('./notifications/NotificationsPane.tsx'))
const SecurityPane = lazyComponent(() => import('./security/SecurityPane.tsx'))

/**
 * Settings: own profile, notifications, workspace (for those who manage it), account, appearance of this device, and about Linnet.
 */
export default function SettingsPane() {
  const [path, navigate] = useLocation()
  if (path === '/settings/security') {
    return (
      <Suspense>
        <SecurityPane onClose={() => navigate('/settings')} />
      </Suspense>
    )
  }
  if (path === '/settings/bots' || path.startsWith('/settings/bots/')) {
    const botId = path.split('/')[3] ?? null
    return (
      <Suspense>
        <BotsPane key={botId} botId={botId} />
      </Suspense>
    )
  }
  if (path === '/settings/notifications') {
    return (
      <Suspense>
        <NotificationsPane onClose={() => navigate('/settings')} />
      </Suspense>
    )
  }
  if (path === '/settings/emoji') {
    return (
      <Suspense>
        <EmojiPane onClose={() => navigate('/settings')} />
      </Suspense>
    )
  }
  return (
    <section className={styles.settings} aria-label={i18n._('Settings')}>
      <PaneHeader title={i18n._('Settings')} back="/" />
      <div className={styles.scroller}>
        <div className={styles.column}>
          <OwnProfile />
          <Notifications />
          <WorkspaceSettings />
          <CustomEmoji />
          <Account />
          <Appearance />
          <About />
        </div>
      </div>
    </section>
  )
}

function Notifications() {
  return (
    <SettingsSection
      title={i18n._('Notifications')}
      hint={i18n._('What you’re notified about, keywords and quiet hours.')}
    >
      <div className={styles.line}>
        <Link href="/settings/notifications" asChild>
          <Button>{i18n._('Notification settings')}</Button>
        </Link>
      </div>
    </SettingsSection>
  )
}

/** For those who may add emoji. */
function CustomEmoji() {
  const { role, workspace } = useMe()
  if (!mayAddEmoji(workspace, role)) return null
  return (
    <SettingsSection
      title={i18n._('Custom emoji')}
      hint={i18n._('Images with names, for messages and reactions.')}
    >
      <div className={styles.line}>
        <Link href="/settings/emoji" asChild>
          <Button>{i18n._('Manage custom emoji')}</Button>
        </Link>
      </div>
    </SettingsSection>
  )
}

function Account() {
  const { email } = useMe()
  const leaveAccount = useSignOut()
  return (
    <SettingsSection title={i18n._('Account')}>
      {email ? (
        <p className={styles.muted}>
          {i18n._('Signed in as')} <bdi>{email}</bdi>
        </p>
      ) : null}
      <div className={styles.line}>
        <Link href="/settings/security" asChild>
          <Button>{i18n._('Account and security')}</Button>
        </Link>
        <Button onClick={leaveAccount}>{i18n._('Sign out')}</Button>
      </div>
    </SettingsSection>
  )
}
