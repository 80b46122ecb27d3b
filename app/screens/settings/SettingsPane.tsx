import { i18n } from '@lingui/core'
import { Suspense } from 'react'
import { Link, useLocation } from 'wouter'
import { useSignOut } from '../../features/people/leaving/useSignOut.ts'
import { useMe } from '../../features/people/MeContext.ts'
import { Button } from '../../ui/Button.tsx'
import { lazily } from '../../ui/lazily.tsx'
import { PaneHead } from '../conversation/PaneHead.tsx'
import { About } from './About.tsx'
import { Appearance } from './Appearance.tsx'
import { OwnProfile } from './OwnProfile.tsx'
import { Part } from './Part.tsx'
import styles from './SettingsPane.module.css'
import { WorkspaceSettings } from './WorkspaceSettings.tsx'

const SecurityPane = lazily(() => import('./security/SecurityPane.tsx'))

/** One's own profile, the workspace for those who manage it, the look on this device, what Linnet knows of itself, and the way out. */
export default function SettingsPane() {
  const [path, navigate] = useLocation()
  if (path === '/settings/security') {
    return (
      <Suspense>
        <SecurityPane onClose={() => navigate('/settings')} />
      </Suspense>
    )
  }
  return (
    <section className={styles.settings} aria-label={i18n._('Settings')}>
      <PaneHead title={i18n._('Settings')} back="/" />
      <div className={styles.scroller}>
        <div className={styles.column}>
          <OwnProfile />
          <WorkspaceSettings />
          <Account />
          <Appearance />
          <About />
        </div>
      </div>
    </section>
  )
}

function Account() {
  const { email } = useMe()
  const leave = useSignOut()
  return (
    <Part title={i18n._('Account')}>
      {email ? (
        <p className={styles.soft}>
          {i18n._('Signed in as')} <bdi>{email}</bdi>
        </p>
      ) : null}
      <div className={styles.line}>
        <Link href="/settings/security" asChild>
          <Button>{i18n._('Account and security')}</Button>
        </Link>
        <Button onClick={leave}>{i18n._('Sign out')}</Button>
      </div>
    </Part>
  )
}
