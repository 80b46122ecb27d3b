import { i18n } from '@lingui/core'
import { OwnNameField } from '../../../features/flows/account/OwnNameField.tsx'
import { formFailure } from '../../../ui/fieldFailure.ts'
import { useEffect, useRef, useState } from 'react'
import { Link, Redirect } from '../../../ui/Link.tsx'
import { formatAddress, pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { isEmailAddress } from '../../../../wire/emailAddress.ts'
import { type InvitationView } from '../../../../wire/invitations.ts'
import { type WorkspaceRole } from '../../../../wire/people.ts'
import { useAccount } from '../../../data/session/account.ts'
import { createQuery } from '../../../data/queries/createQuery.ts'
import { signInMethods } from '../../../data/account/signInMethods.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { useWorkspace } from '../../../data/session/useWorkspace.ts'
import {
  requestSignInLink,
  requestSignUp,
  confirmLink,
  type MailedLink,
} from '../../../data/session/signIn.ts'
import type { OfferedSession } from '../../../data/session/offeredSession.ts'
import { acceptInvitation, viewInvitation } from '../../../data/people/invitations.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatDayAndTime } from '../../../ui/dates.ts'
import { Form } from '../../../ui/Form.tsx'
import { useToast } from '../../../ui/toast.ts'
import { Page } from '../../../ui/Page.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { adoptLanguage, browserLanguage, chooseLanguage, readLanguage } from '../../../ui/language.ts'
import { LANGUAGES } from '../../../../wire/languages.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import styles from '../../../features/flows/account/account.module.css'
import { NewAccountFields, useNewAccount } from '../../../features/flows/account/NewAccount.tsx'
import { EnterCode } from '../../../features/flows/account/EnterCode.tsx'
import { ContinueInOtherTab } from '../../../features/flows/account/ContinueInOtherTab.tsx'
import { OtherAccount } from '../link/OtherAccount.tsx'
import { clearFormInput, storeFormInput, readFormInput } from '../../../features/flows/account/formInput.ts'
import TwoFactorPage from '../twoFactor/TwoFactorPage.tsx'
import { requestCode } from '../requestCode.ts'
import { useAction, type ActionOutcome } from '../../../ui/useAction.ts'
import { useMailsStayLocal } from '../../../features/flows/account/useMailsStayLocal.ts'
import { MessagePage } from '../../../features/flows/account/MessagePage.tsx'

interface Props {
  token: string
  /** The emailed link that opened this page: it is used by the same button. */
  link?: MailedLink
}

/** The invitation token in a path of this app, or null. */
export function invitationIn(path: string): string | null {
  const url = new URL(path, location.origin)
  if (url.pathname !== pathTo('join')) return null
  return url.searchParams.get('invitation') ?? (url.hash.slice(1) || null)
}

const viewedInvitation = createQuery({
  isPublic: true,
  fetch: async (token: string): ReturnType<typeof viewInvitation> => {
    const outcome = await viewInvitation(token)
    // The page is reloaded in the language of the workspace.
    if (outcome.ok && adoptLanguage(outcome.value.language)) return new Promise(() => {})
    return outcome
  },
})

/** Shows an invitation and accepts it. */
export function Join({ token, link }: Props) {
  const { value, failure } = useQuery(viewedInvitation, [token])
  if (value) return <Invited token={token} invitation={value} link={link} />
  if (failure) {
    return <MessagePage title={i18n._('This invitation isn’t valid')} lead={failure.message} />
  }
  return <Skeleton label={i18n._('Loading the invitation')} />
}

function Invited(props: { token: string; invitation: InvitationView; link: Props['link'] }) {
  const { token, invitation } = props
  const account = useAccount()
  const session = useWorkspace()
  const mailsStayLocal = useMailsStayLocal()
  const mailedCodes = useQuery(signInMethods).value?.mailedCodes !== false
  const newAccount = useNewAccount()
  const [stored] = useState(() => readFormInput('join'))
  const [entered, setEntered] = useState(stored?.person ?? null)
  // People have one name in all their workspaces.
  const name = entered ?? (session.status === 'ready' ? session.me.profile.name : '')
  const [email, setEmail] = useState('')
  const [mailed, setMailed] = useState(false)
  const [codeEntered, setCodeEntered] = useState(false)
  const [isRejected, setRejected] = useState(false)
  const [linkExpired, setLinkExpired] = useState(false)
  const [offered, setOffered] = useState<OfferedSession | null>(null)
  const action = useAction()
  const showToast = useToast()
  const address = email.trim()
  const workspace = invitation.workspace_name
  const link = linkExpired ? undefined : props.link
  const signedIn = account.status === 'signed-in'
  // An emailed link identifies the reader, so no address is requested.
  const hasIdentity = signedIn || link !== undefined
  const choosesMethod = newAccount.isPending || (!mailedCodes && !hasIdentity)
  // The name was entered for this invitation before the email was sent: it is not requested again.
  const isNamed = stored?.token === token

  const accept = async () => {
    // Shown again, because the person may have signed in after the page was opened.
    const shown = invitation.is_member ? null : await viewInvitation(token)
    // Nobody has a confirmed address here: the token permits the address instead.
    if (!mailedCodes && account.email && !invitation.is_member) {
      const permitted = await requestSignUp(account.email, { invitation: token })
      if (!permitted.ok) return permitted
    }
    const outcome = await acceptInvitation({ token, person_name: name.trim() })
    if (outcome.ok) {
      const { channel_id: channelId } = outcome.value
      clearFormInput('join')
      if (shown?.ok && shown.value.is_member) showToast({ text: memberSentence(workspace) })
      navigate(channelId ? pathTo('channel', { channelId }) : pathTo('home'), { replace: true })
    } else {
      setMailed(false)
      setRejected(true)
    }
    return outcome
  }
  const onSignedIn = () => void action.run(accept)
  const path = formatAddress(pathTo('join'), { invitation: token })
  const requestLink = () => requestSignInLink(address, { invitation: token, next: path })
  const submit = async (): Promise<ActionOutcome<unknown>> => {
    storeFormInput('join', { token, person: name.trim() })
    if (choosesMethod) {
      const created = await newAccount.create(address, { invitation: token })
      return created.ok ? accept() : created
    }
    if (signedIn) return accept()
    if (link) {
      // Null: the browser is being redirected to the backend and returns signed in; the name is stored.
      const outcome = await confirmLink(link)
      if (!outcome.ok && outcome.failure.name === 'otp_expired') {
        // The form now requests an address, to which a new link is emailed.
        setLinkExpired(true)
        return formFailure(
          i18n._('This link has expired or was already used. Enter your email to get a new one.'),
        )
      }
      if (!outcome.ok || !outcome.value) return outcome
      if (!outcome.value.offered) return accept()
      setOffered(outcome.value.offered)
      return outcome
    }
    const sent = await requestCode(requestLink, showToast)
    if (sent.ok) setMailed(true)
    return sent
  }

  const resumes = isNamed && !link && !mailed && !isRejected
  const isStarted = useRef(false)
  useEffect(() => {
    if (!resumes || !signedIn || isStarted.current) return
    isStarted.current = true
    onSignedIn()
  })

  if (offered) {
    const onAccepted = () => {
      setOffered(null)
      onSignedIn()
    }
    return <OtherAccount session={offered} onAccepted={onAccepted} />
  }
  if (account.status === 'mfa-required') return <TwoFactorPage />
  if (mailed && signedIn && !codeEntered) {
    // The other tab has accepted the invitation.
    if (session.status === 'ready') return <Redirect to={pathTo('home')} />
    return <ContinueInOtherTab busy={action.busy} onContinue={onSignedIn} />
  }
  if ((signedIn || account.status === 'loading') && (mailed || resumes)) {
    return <Skeleton label={i18n._('Joining {workspace}', { workspace })} />
  }
  if (mailed) {
    return (
      <EnterCode
        lead={
          mailsStayLocal
            ? i18n._(
                'No mail server is set up. Ask the server’s administrator for the code for {address}, and enter it here.',
                { address },
              )
            : i18n._('We sent an email to {address}. Open the link, or enter the code here.', { address })
        }
        to={{ email: address }}
        onSubmitting={setCodeEntered}
        onDone={onSignedIn}
        onResend={requestLink}
        onBack={() => setMailed(false)}
      />
    )
  }
  if (invitation.is_member && signedIn) {
    return (
      <Page
        title={memberSentence(workspace)}
        lead={i18n._('You’re signed in as {email}.', { email: isolateBidi(account.email ?? '') })}
      >
        <Form state={action} action={i18n._('Open {name}', { name: workspace })} run={accept}>
          {invitation.channels.length ? (
            <p className="muted">
              {i18n._('This invitation is for {channels}.', { channels: listChannels(invitation) })}
            </p>
          ) : null}
        </Form>
      </Page>
    )
  }
  const needsName = !(isNamed && link)
  return (
    <Page
      title={i18n._('Join {workspace}', { workspace })}
      lead={i18n._('{person} invited you to join them on Linnet.', {
        person: isolateBidi(invitation.invited_by),
      })}
    >
      <div className={styles.card}>
        <p>{roleSentence(invitation.role)}</p>
        {invitation.starts_at ? (
          <p role="status">
            {i18n._('You can join from {time}. Open this page again then.', {
              time: formatDayAndTime(invitation.starts_at),
            })}
          </p>
        ) : null}
        {invitation.access_days === null ? null : (
          <p className="muted">
            {i18n._('Your access ends {days, plural, one {# day} other {# days}} after you join.', {
              days: invitation.access_days,
            })}
          </p>
        )}
        {invitation.channels.length ? (
          <p className="muted">
            {i18n._('You’ll start in {channels}.', { channels: listChannels(invitation) })}
          </p>
        ) : null}
      </div>
      <Form
        state={action}
        action={hasIdentity || !mailedCodes ? i18n._('Join {workspace}', { workspace }) : i18n._('Continue')}
        isBusy={account.status === 'loading'}
        isDisabled={
          invitation.starts_at !== null ||
          !name.trim() ||
          (!hasIdentity && !isEmailAddress(address)) ||
          (choosesMethod && !newAccount.isReady)
        }
        run={submit}
      >
        {needsName ? <OwnNameField value={name} onChange={setEntered} /> : null}
        {hasIdentity ? null : (
          <TextField
            label={i18n._('Email address')}
            hint={
              !mailedCodes
                ? i18n._('You’ll sign in with this address.')
                : mailsStayLocal
                  ? i18n._('You’ll sign in with a code from the server’s administrator.')
                  : i18n._('We’ll email you a link and a code to sign in.')
            }
            type="email"
            autoComplete={mailedCodes ? 'email' : 'username'}
            autoFocus={linkExpired}
            value={email}
            onChange={setEmail}
          />
        )}
        {choosesMethod ? <NewAccountFields account={newAccount} /> : null}
        {account.status === 'signed-in' ? (
          <p className="muted">
            {i18n._('Signed in as')} <bdi>{account.email}</bdi>
          </p>
        ) : link?.named ? (
          <p className="muted">
            {i18n._('You’ll be signed in as {email}.', { email: isolateBidi(link.named) })}
          </p>
        ) : null}
      </Form>
      {choosesMethod && !newAccount.isPending ? (
        <p>
          <Link href={formatAddress(pathTo('signIn'), { next: path })}>
            {i18n._('I already have an account')}
          </Link>
        </p>
      ) : null}
      {readLanguage() === browserLanguage() ? null : (
        <div>
          <Button variant="quiet" lang={browserLanguage()} onClick={() => chooseLanguage(browserLanguage())}>
            {LANGUAGES[browserLanguage()].name}
          </Button>
        </div>
      )}
    </Page>
  )
}

const memberSentence = (workspace: string): string =>
  i18n._('You’re already a member of {workspace}', { workspace: isolateBidi(workspace) })

const listChannels = ({ channels }: InvitationView): string =>
  new Intl.ListFormat(i18n.locale).format(channels.map((one) => isolateBidi(`#${one}`)))

function roleSentence(role: WorkspaceRole): string {
  if (role === 'guest') return i18n._('You’ll join as a guest and see only the channels you’re added to.')
  if (role === 'admin') return i18n._('You’ll join as an admin and help manage the workspace.')
  return i18n._('You’ll join as a member.')
}
