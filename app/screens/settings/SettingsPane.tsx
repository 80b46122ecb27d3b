import { i18n } from '@lingui/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { LIMITS } from '../../../wire/linnet.ts'
import { signOut } from '../../data/session/account.ts'
import { updateProfile } from '../../data/workspace.ts'
import { useMe } from '../../features/people/MeContext.ts'
import { Button } from '../../ui/Button.tsx'
import { Choice } from '../../ui/Choice.tsx'
import { Form } from '../../ui/Form.tsx'
import { chooseLanguage, LANGUAGES, readLanguage, type Language } from '../../ui/language.ts'
import { useNotice } from '../../ui/notice.ts'
import { TextField } from '../../ui/TextField.tsx'
import { chooseLook, readLook, type Look } from '../../ui/theme.ts'
import { PaneHead } from '../conversation/PaneHead.tsx'
import styles from './SettingsPane.module.css'

/** One's own name, the look on this device, and the way out. */
export default function SettingsPane() {
  const { email } = useMe()
  const notice = useNotice()
  const [, navigate] = useLocation()
  const leave = async () => {
    const outcome = await signOut()
    if (outcome.ok) navigate('/sign-in')
    else notice({ words: outcome.failure.sentence })
  }
  return (
    <section className={styles.settings} aria-label={i18n._('Settings')}>
      <PaneHead title={i18n._('Settings')} back="/" />
      <div className={styles.scroller}>
        <div className={styles.column}>
          <Own />
          <Appearance />
          <div className={styles.part}>
            {email ? (
              <p className={styles.soft}>
                {i18n._('Signed in as')} <bdi>{email}</bdi>
              </p>
            ) : null}
            <div>
              <Button onClick={() => void leave()}>{i18n._('Sign out')}</Button>
            </div>
          </div>
        </div>
      </div>
    </section>
  )
}

function Own() {
  const { profile } = useMe()
  const notice = useNotice()
  const [name, setName] = useState(profile.name)
  const [status, setStatus] = useState(profile.status_text ?? '')
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const same = name.trim() === profile.name && status.trim() === (profile.status_text ?? '')
  const save = async () => {
    if (same || !name.trim() || busy) return
    setBusy(true)
    setFailure(null)
    const outcome = await updateProfile({ name: name.trim(), status_text: status.trim() || null })
    setBusy(false)
    if (outcome.ok) notice({ words: i18n._('Saved.') })
    else setFailure(outcome.failure.sentence)
  }
  return (
    <Form onSubmit={() => void save()} failure={failure}>
      <TextField
        label={i18n._('Your name')}
        value={name}
        maxLength={LIMITS.personNameCharacters}
        autoComplete="name"
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextField
        label={i18n._('Status')}
        hint={i18n._('A few words beside your name, e.g. “In surgery”.')}
        value={status}
        maxLength={100}
        autoComplete="off"
        onChange={(event) => setStatus(event.currentTarget.value)}
      />
      <div>
        <Button type="submit" look="primary" busy={busy} disabled={same || !name.trim()}>
          {i18n._('Save')}
        </Button>
      </div>
    </Form>
  )
}

function Appearance() {
  const [look, setLook] = useState(readLook)
  const choose = (change: Partial<Look>) => {
    const next = { ...look, ...change }
    chooseLook(next)
    setLook(next)
  }
  return (
    <div className={styles.part}>
      <Choice
        label={i18n._('Theme')}
        value={look.theme}
        options={[
          { value: 'system', label: i18n._('As the device') },
          { value: 'light', label: i18n._('Light') },
          { value: 'dark', label: i18n._('Dark') },
        ]}
        onChange={(theme) => choose({ theme })}
      />
      <Choice
        label={i18n._('Contrast')}
        value={look.contrast}
        options={[
          { value: 'system', label: i18n._('As the device') },
          { value: 'more', label: i18n._('High') },
        ]}
        onChange={(contrast) => choose({ contrast })}
      />
      <Choice
        label={i18n._('Messages')}
        value={look.density}
        options={[
          { value: 'comfortable', label: i18n._('Comfortable') },
          { value: 'compact', label: i18n._('Compact') },
        ]}
        onChange={(density) => choose({ density })}
      />
      <Choice<Language>
        label={i18n._('Language')}
        value={readLanguage()}
        options={(Object.keys(LANGUAGES) as Language[]).map((value) => ({ value, label: LANGUAGES[value] }))}
        onChange={chooseLanguage}
      />
    </div>
  )
}
