import { i18n } from '@lingui/core'
import { useCallback, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { LIMITS, type InvitationView, type WorkspaceRole } from '../../../../wire/linnet.ts'
import { useAccount } from '../../../data/session/account.ts'
import { askForLink, confirmLink } from '../../../data/session/signIn.ts'
import { acceptInvitation, viewInvitation } from '../../../data/people/invitations.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { useNotice } from '../../../ui/notice.ts'
import { Page } from '../../../ui/Page.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useAnswer } from '../../../ui/useAnswer.ts'
import { isolated } from '../../../data/people/isolated.ts'
import styles from '../account.module.css'
import { EnterCode } from '../enter/EnterCode.tsx'
import { keptName, keepName } from './keptName.ts'
import SecondFactor from '../second/SecondFactor.tsx'
import { sentLately } from '../sentLately.ts'
import { useAction } from '../useAction.ts'

interface Props {
  token: string
  /** The mailed link that brought the reader here: it is used on the same press. */
  link?: { tokenHash: string; type: string; next: string }
}

/** The invitation's token in a path of this app, or null. */
export function invitationIn(path: string): string | null {
  const url = new URL(path, location.origin)
  if (url.pathname !== '/join') return null
  return url.searchParams.get('invitation') ?? (url.hash.slice(1) || null)
}

/** Who invites to what, and the way in. */
export function Join({ token, link }: Props) {
  const answer = useAnswer(useCallback(() => viewInvitation(token), [token]))
  if (!answer) return <Skeleton label={i18n._('Loading the invitation')} />
  if (!answer.ok) {
    return (
      <Page title={i18n._('This invitation does not open')} lead={answer.failure.sentence}>
        <Link href="/">{i18n._('Go to Linnet')}</Link>
      </Page>
    )
  }
  return <Invited token={token} invitation={answer.value} link={link} />
}

function Invited(props: { token: string; invitation: InvitationView; link: Props['link'] }) {
  const { token, invitation, link } = props
  const account = useAccount()
  const [, navigate] = useLocation()
  const [name, setName] = useState(keptName)
  const [email, setEmail] = useState('')
  const [mailed, setMailed] = useState(false)
  const action = useAction()
  const notice = useNotice()
  const address = email.trim()
  const workspace = invitation.workspace_name
  // A mailed link shows who it is, so no address is asked for.
  const known = account.status === 'signed-in' || link !== undefined

  const accept = async () => {
    const done = await action.run(() => acceptInvitation({ token, person_name: name.trim() }))
    if (done) navigate(done.value.channel_id ? `/c/${done.value.channel_id}` : '/', { replace: true })
  }
  const ask = () =>
    askForLink(address, { invitation: token, next: `/join?invitation=${encodeURIComponent(token)}` })
  const submit = async () => {
    if (!name.trim() || (!known && !address.includes('@'))) return
    keepName(name.trim())
    if (account.status === 'signed-in') return accept()
    if (link) {
      // Null: the page is leaving for the backend, and comes back signed in with the name kept.
      const done = await action.run(() => confirmLink(link))
      if (done?.value) await accept()
      return
    }
    if (await action.run(() => sentLately(ask, notice))) setMailed(true)
  }

  if (account.status === 'half') return <SecondFactor />
  if (mailed && account.status !== 'signed-in') {
    return (
      <Page
        title={i18n._('Check your mail')}
        lead={i18n._('A mail to {address} is on its way. Open its link, or type its code here.', { address })}
      >
        <EnterCode
          to={{ email: address }}
          onDone={() => void accept()}
          again={ask}
          onBack={() => setMailed(false)}
        />
      </Page>
    )
  }
  return (
    <Page
      title={i18n._('Join {workspace}', { workspace })}
      lead={i18n._('{person} invites you to write with them on Linnet.', {
        person: isolated(invitation.invited_by),
      })}
    >
      <div className={styles.card}>
        <p>{roleWords(invitation.role)}</p>
        {invitation.channels.length ? (
          <p className={styles.soft}>
            {i18n._('You start in {channels}.', {
              channels: new Intl.ListFormat(i18n.locale).format(
                invitation.channels.map((one) => isolated(`#${one}`)),
              ),
            })}
          </p>
        ) : null}
      </div>
      <Form onSubmit={() => void submit()} failure={action.failure}>
        <TextField
          label={i18n._('Your name')}
          hint={i18n._('As the others should see it.')}
          autoComplete="name"
          maxLength={LIMITS.personNameCharacters}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {known ? null : (
          <TextField
            label={i18n._('E-mail address')}
            hint={i18n._('We send you a link and a code to sign in with.')}
            type="email"
            inputMode="email"
            autoComplete="email"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
        )}
        <Button
          type="submit"
          look="primary"
          busy={action.busy || account.status === 'loading'}
          disabled={!name.trim() || (!known && !address.includes('@'))}
        >
          {known ? i18n._('Join {workspace}', { workspace }) : i18n._('Continue')}
        </Button>
        {account.status === 'signed-in' ? (
          <p className={styles.soft}>
            {i18n._('Signed in as')} <bdi>{account.email}</bdi>
          </p>
        ) : null}
      </Form>
    </Page>
  )
}

function roleWords(role: WorkspaceRole): string {
  if (role === 'guest') return i18n._('You come as a guest: you see the channels you are in.')
  if (role === 'admin') return i18n._('You come as an admin: you help to look after the place.')
  return i18n._('You come as a member.')
}
