import { i18n } from '@lingui/core'
import { useLocation } from 'wouter'
import { signOut } from '../../data/session/account.ts'
import { useMe } from '../../features/people/MeContext.ts'
import { Button } from '../../ui/Button.tsx'
import { useNotice } from '../../ui/notice.ts'
import { PaneHead } from '../conversation/PaneHead.tsx'
import { About } from './About.tsx'
import { Appearance } from './Appearance.tsx'
import { OwnProfile } from './OwnProfile.tsx'
import { Part } from './Part.tsx'
import styles from './SettingsPane.module.css'

/** One's own profile, the look on this device, what Linnet knows of itself, and the way out. */
export default function SettingsPane() {
  return (
    <section className={styles.settings} aria-label={i18n._('Settings')}>
      <PaneHead title={i18n._('Settings')} back="/" />
      <div className={styles.scroller}>
        <div className={styles.column}>
          <OwnProfile />
          <Appearance />
          <About />
          <Account />
        </div>
      </div>
    </section>
  )
}

function Account() {
  const { email } = useMe()
  const notice = useNotice()
  const [, navigate] = useLocation()
  const leave = async () => {
    const outcome = await signOut()
    if (outcome.ok) navigate('/sign-in')
    else notice({ words: outcome.failure.sentence })
  }
  return (
    <Part title={i18n._('Account')}>
      {email ? (
        <p className={styles.soft}>
          {i18n._('Signed in as')} <bdi>{email}</bdi>
        </p>
      ) : null}
      <div>
        <Button onClick={() => void leave()}>{i18n._('Sign out')}</Button>
      </div>
    </Part>
  )
}
