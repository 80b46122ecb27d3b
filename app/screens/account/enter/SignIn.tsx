import { i18n } from '@lingui/core'
import { useState } from 'react'
import { Link, Redirect, useLocation, useSearch } from 'wouter'
import { readWays, type Ways } from '../../../data/account/signInMethods.ts'
import { useAccount } from '../../../data/session/account.ts'
import { askForCodeByPhone, askForLink, signInWithPassword } from '../../../data/session/signIn.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { useNotice } from '../../../ui/notice.ts'
import { Page } from '../../../ui/Page.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useAnswer } from '../../../ui/useAnswer.ts'
import { useOnline } from '../../../ui/useOnline.ts'
import styles from '../account.module.css'
import { EnterCode } from './EnterCode.tsx'
import { OtherWays } from './OtherWays.tsx'
import { pathWithin } from '../pathWithin.ts'
import { phoneIn } from './phoneIn.ts'
import { sentLately } from '../sentLately.ts'
import { useAction } from '../useAction.ts'
import { useSentTo, type SentTo } from '../useSentTo.ts'

type Way = 'mail' | 'password' | 'phone'

/** Signs in: a mailed link and code, a password for those who have one, or what else the installation offers. */
export default function SignIn() {
  const account = useAccount()
  const [, navigate] = useLocation()
  const next = pathWithin(new URLSearchParams(useSearch()).get('next'))
  const online = useOnline()
  const answer = useAnswer(readWays, online ? 0 : 1)
  const mailsStayLocal = answer?.ok === true && answer.value.mailsStayLocal
  const [chosen, setChosen] = useState<Way | null>(null)
  const way = chosen ?? 'mail'
  const [email, setEmail] = useState('')
  const [number, setNumber] = useState('')
  const [password, setPassword] = useState('')
  const [sent, setSent, forgetSent] = useSentTo()
  const action = useAction()
  const notice = useNotice()
  const address = email.trim()
  const phone = phoneIn(number)
  const ready =
    way === 'phone' ? phone !== null : address.includes('@') && (way === 'mail' || password !== '')
  const goOn = () => navigate(next, { replace: true })

  if (account.status === 'signed-in' || account.status === 'half') return <Redirect to={next} replace />

  const ask = (to: SentTo) => ('phone' in to ? askForCodeByPhone(to.phone) : askForLink(to.email, { next }))
  const submit = async () => {
    if (!ready) return
    if (way === 'password') {
      if (await action.run(() => signInWithPassword(address, password))) goOn()
      return
    }
    const to = way === 'phone' && phone ? { phone } : { email: address }
    if (await action.run(() => sentLately(() => ask(to), notice))) setSent(to)
  }

  if (sent) {
    return (
      <Page
        title={
          'phone' in sent
            ? i18n._('Check your phone')
            : mailsStayLocal
              ? i18n._('Enter your code')
              : i18n._('Check your email')
        }
        lead={
          'phone' in sent
            ? i18n._('If {phone} may sign in, a message is on its way. Type its code here.', {
                phone: sent.phone,
              })
            : mailsStayLocal
              ? i18n._(
                  'No mail server is set up here. If {address} can sign in, the code is in the server’s mailbox: ask the person who runs the server for it. The link to the mailbox is printed in the server’s terminal.',
                  { address: sent.email },
                )
              : i18n._(
                  'If {address} can sign in here, we’ve sent it an email. Open the link, or enter the code here.',
                  { address: sent.email },
                )
        }
      >
        <EnterCode to={sent} onDone={goOn} again={() => ask(sent)} onBack={forgetSent} />
      </Page>
    )
  }

  const others: { value: Way; label: string }[] = [
    { value: 'mail', label: mailsStayLocal ? i18n._('Use a code') : i18n._('Email me a link instead') },
    { value: 'password', label: i18n._('Use a password') },
    ...(answer?.ok && answer.value.phone
      ? [{ value: 'phone' as const, label: i18n._('Use a phone number') }]
      : []),
  ]
  return (
    <Page title={i18n._('Sign in')} lead={leadOf(way, online, answer)}>
      <Form onSubmit={() => void submit()} failure={action.failure}>
        {way === 'phone' ? (
          <TextField
            key="phone"
            label={i18n._('Phone number')}
            hint={i18n._('Include the country code, e.g. +1 or +44')}
            type="tel"
            autoComplete="tel"
            dir="ltr"
            autoFocus
            value={number}
            onChange={(event) => setNumber(event.currentTarget.value)}
          />
        ) : (
          <TextField
            key={way}
            autoFocus={chosen !== null}
            label={i18n._('Email address')}
            type="email"
            inputMode="email"
            autoComplete="username webauthn"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
        )}
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
          {way === 'mail'
            ? mailsStayLocal
              ? i18n._('Get a code')
              : i18n._('Send me a link')
            : way === 'phone'
              ? i18n._('Send me a code')
              : i18n._('Sign in')}
        </Button>
        <div className={styles.ways}>
          {others
            .filter(({ value }) => value !== way)
            .map(({ value, label }) => (
              <Button key={value} look="quiet" onClick={() => setChosen(value)}>
                {label}
              </Button>
            ))}
          {way === 'password' ? (
            <Link href="/forgotten" asChild>
              <Button look="quiet">{i18n._('Forgot password?')}</Button>
            </Link>
          ) : null}
        </div>
      </Form>
      {answer?.ok ? <OtherWays ways={answer.value} next={next} action={action} onDone={goOn} /> : null}
    </Page>
  )
}

function leadOf(
  way: Way,
  online: boolean,
  answer: { ok: true; value: Ways } | { ok: false } | null,
): string | undefined {
  if (!online) return i18n._('You’re offline. You can sign in when you reconnect.')
  if (answer?.ok === false) return i18n._('Linnet can’t be reached. Try again in a moment.')
  if (way === 'mail') {
    return answer?.value.mailsStayLocal
      ? i18n._('No mail server is set up here. Get a code from the person who runs the server.')
      : i18n._('We’ll email you a link and a code. No password needed.')
  }
  return way === 'phone' ? i18n._('We send you a code.') : undefined
}
