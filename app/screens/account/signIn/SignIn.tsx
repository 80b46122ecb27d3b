import { i18n } from '@lingui/core'
import { PhoneField } from '../../../features/flows/account/PhoneField.tsx'
import { useState } from 'react'
import { Redirect } from '../../../ui/Link.tsx'
import { pathTo } from '../../../paths.ts'
import { navigate, type CodeRecipient } from '../../../historyState.ts'
import { normalizeEmailAddress } from '../../../../wire/emailAddress.ts'
import { usePageQuery } from '../../../ui/pageAddress.ts'
import { signInMethods, type SignInMethods } from '../../../data/account/signInMethods.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { useAccount } from '../../../data/session/account.ts'
import { requestPhoneCode, requestSignInLink, signInWithPassword } from '../../../data/session/signIn.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { useToast } from '../../../ui/toast.ts'
import { Page } from '../../../ui/Page.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useOnline } from '../../../ui/useOnline.ts'
import styles from '../../../features/flows/account/account.module.css'
import { EnterCode } from '../../../features/flows/account/EnterCode.tsx'
import { EndedSessionNote } from './EndedSessionNote.tsx'
import { OtherMethods } from './OtherMethods.tsx'
import { internalPath } from '../../../data/session/internalPath.ts'
import { parsePhoneNumber } from '../../../features/flows/account/parsePhoneNumber.ts'
import { requestCode } from '../requestCode.ts'
import { useAction } from '../../../ui/useAction.ts'
import { useCodeRecipient } from '../../../features/flows/account/useCodeRecipient.ts'

type Method = 'mail' | 'password' | 'phone'

/** The sign-in page. People sign in by an emailed link or code, by password, or by other configured methods. */
export default function SignIn() {
  const account = useAccount()
  const next = internalPath(usePageQuery().get('next'))
  const online = useOnline()
  const { value: methods, failure } = useQuery(signInMethods)
  const mailsStayLocal = methods?.hasLocalMailbox
  const [chosen, setChosen] = useState<Method | null>(null)
  // Until the methods are known, the page shows the usual one.
  const {
    mailedCodes,
    passwords,
    phone: hasPhone,
  } = methods ?? { mailedCodes: true, passwords: true, phone: false }
  const offered: Method[] = [
    ...(mailedCodes ? ['mail' as const] : []),
    ...(passwords ? ['password' as const] : []),
    ...(hasPhone ? ['phone' as const] : []),
  ]
  const method = chosen ?? offered[0]
  const [email, setEmail] = useState('')
  const [number, setNumber] = useState('')
  const [password, setPassword] = useState('')
  const [sent, setSent, clearSent] = useCodeRecipient()
  const action = useAction()
  const showToast = useToast()
  const address = email.trim()
  const phone = parsePhoneNumber(number)
  const isReady =
    method === 'phone'
      ? phone !== null
      : normalizeEmailAddress(address) !== null && (method === 'mail' || password !== '')
  const continueToNext = () => navigate(next, { replace: true })

  if (account.status === 'signed-in' || account.status === 'mfa-required') return <Redirect to={next} />

  const sendCode = (to: CodeRecipient) =>
    'phone' in to ? requestPhoneCode(to.phone) : requestSignInLink(to.email, { next })
  const to = method === 'phone' && phone ? { phone } : { email: address }

  if (sent) {
    return (
      <EnterCode
        lead={
          'phone' in sent
            ? i18n._('If {phone} can sign in here, we’ve texted it a code. Enter the code here.', {
                phone: sent.phone,
              })
            : mailsStayLocal
              ? i18n._(
                  'No mail server is set up. If {address} can sign in, ask the server’s administrator for the code. If that’s you, “{linnet} mailbox” on the server prints it.',
                  { address: sent.email, linnet: methods.linnet },
                )
              : i18n._(
                  'If {address} can sign in here, we’ve sent it an email. Open the link, or enter the code here.',
                  { address: sent.email },
                )
        }
        to={sent}
        onDone={continueToNext}
        onResend={() => sendCode(sent)}
        onBack={clearSent}
      />
    )
  }

  const labels: Record<Method, string> = {
    mail: mailsStayLocal ? i18n._('Use a code') : i18n._('Email me a link instead'),
    password: i18n._('Use a password'),
    phone: i18n._('Use a phone number'),
  }
  return (
    <Page title={i18n._('Sign in')} lead={leadSentence(method, online, methods, failure !== null)}>
      {account.ended ? <EndedSessionNote ended={account.ended} /> : null}
      {method === undefined ? null : (
        <Form
          state={action}
          action={
            method === 'mail'
              ? mailsStayLocal
                ? i18n._('Get a code')
                : i18n._('Send me a link')
              : method === 'phone'
                ? i18n._('Send me a code')
                : i18n._('Sign in')
          }
          isDisabled={!isReady}
          run={() =>
            method === 'password'
              ? signInWithPassword(address, password)
              : requestCode(() => sendCode(to), showToast)
          }
          onDone={() => (method === 'password' ? continueToNext() : setSent(to))}
        >
          {method === 'phone' ? (
            <PhoneField key="phone" value={number} onChange={setNumber} />
          ) : (
            <TextField
              key={chosen}
              autoFocus={chosen !== null}
              label={i18n._('Email address')}
              type="email"
              autoComplete="username webauthn"
              value={email}
              onChange={setEmail}
            />
          )}
          {method === 'password' ? (
            <TextField
              label={i18n._('Password')}
              type="password"
              autoComplete="current-password"
              value={password}
              onChange={setPassword}
            />
          ) : null}
        </Form>
      )}
      <div className={styles.options}>
        {offered
          .filter((one) => one !== method)
          .map((one) => (
            <Button key={one} variant="quiet" onClick={() => setChosen(one)}>
              {labels[one]}
            </Button>
          ))}
        {method === 'password' ? (
          <Button onClick={() => navigate(pathTo('forgottenPassword'))} variant="quiet">
            {i18n._('Forgot password?')}
          </Button>
        ) : null}
      </div>
      {methods ? (
        <OtherMethods methods={methods} next={next} action={action} onDone={continueToNext} />
      ) : null}
    </Page>
  )
}

function leadSentence(
  method: Method | undefined,
  online: boolean,
  methods: SignInMethods | undefined,
  hasFailed: boolean,
): string | undefined {
  if (!online) return i18n._('You’re offline. You can sign in when you reconnect.')
  if (hasFailed) return i18n._('Linnet can’t be reached. Try again in a moment.')
  if (method === 'mail') {
    return methods?.hasLocalMailbox
      ? i18n._('No mail server is set up, so you’ll get the code from the server’s administrator.')
      : i18n._('We’ll email you a link and a code. No password needed.')
  }
  return method === 'phone' ? i18n._('We’ll text you a code.') : undefined
}
