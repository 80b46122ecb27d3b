import { i18n } from '@lingui/core'
import { useState } from 'react'
import { Link, Redirect, useLocation, useSearch } from 'wouter'
import { useAccount } from '../../data/session/account.ts'
import { askForLink, signInWithPassword } from '../../data/session/signIn.ts'
import { Button } from '../../ui/Button.tsx'
import { Form } from '../../ui/Form.tsx'
import { Page } from '../../ui/Page.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { useNotice } from '../../ui/notice.ts'
import styles from './account.module.css'
import { EnterCode } from './EnterCode.tsx'
import { pathWithin } from './pathWithin.ts'
import { useAction } from './useAction.ts'

/** Signs in: a mailed link and code, or a password for those who have one. */
export default function SignIn() {
  const account = useAccount()
  const notice = useNotice()
  const [, navigate] = useLocation()
  const next = pathWithin(new URLSearchParams(useSearch()).get('next'))
  const [way, setWay] = useState<'mail' | 'password'>('mail')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [mailed, setMailed] = useState(false)
  const action = useAction()
  const address = email.trim()
  const ready = address.includes('@') && (way === 'mail' || password !== '')

  if (account.status === 'signed-in') return <Redirect to={next} replace />

  const ask = () => action.run(() => askForLink(address, { next }))
  const submit = async () => {
    if (!ready) return
    if (way === 'password') {
      if (await action.run(() => signInWithPassword(address, password))) navigate(next, { replace: true })
    } else if (await ask()) setMailed(true)
  }

  if (mailed) {
    return (
      <Page
        title={i18n._('Check your mail')}
        lead={i18n._(
          'If {address} may sign in, a mail is on its way. Open its link, or type its code here.',
          {
            address,
          },
        )}
      >
        <EnterCode
          email={address}
          onDone={() => navigate(next, { replace: true })}
          onAgain={() =>
            void ask().then((sent) => {
              notice({
                words: sent
                  ? i18n._('Another mail is on its way.')
                  : i18n._('That was not sent. Wait a minute, then try again.'),
              })
            })
          }
          onBack={() => setMailed(false)}
        />
      </Page>
    )
  }

  return (
    <Page
      title={i18n._('Sign in')}
      lead={way === 'mail' ? i18n._('We send you a link and a code. No password needed.') : undefined}
    >
      <Form onSubmit={() => void submit()} failure={action.failure}>
        <TextField
          label={i18n._('E-mail address')}
          type="email"
          inputMode="email"
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        {way === 'password' ? (
          <TextField
            label={i18n._('Password')}
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        ) : null}
        <Button type="submit" look="primary" busy={action.busy} disabled={!ready}>
          {way === 'mail' ? i18n._('Send me a link') : i18n._('Sign in')}
        </Button>
        <div className={styles.ways}>
          <Button look="quiet" onClick={() => setWay(way === 'mail' ? 'password' : 'mail')}>
            {way === 'mail' ? i18n._('Use a password') : i18n._('Use a mailed link')}
          </Button>
          {way === 'password' ? (
            <Link href="/forgotten" asChild>
              <Button look="quiet">{i18n._('Forgotten password')}</Button>
            </Link>
          ) : null}
        </div>
      </Form>
    </Page>
  )
}
