import { i18n } from '@lingui/core'
import { useState } from 'react'
import { Link, Redirect, useLocation } from 'wouter'
import { LIMITS } from '../../../wire/linnet.ts'
import { useAccount } from '../../data/session/account.ts'
import { askForLink } from '../../data/session/signIn.ts'
import { useSession } from '../../data/session/session.ts'
import { foundWorkspace } from '../../data/people/invitations.ts'
import { Button } from '../../ui/Button.tsx'
import { Form } from '../../ui/Form.tsx'
import { Page } from '../../ui/Page.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { EnterCode } from '../account/enter/EnterCode.tsx'
import { useAction } from '../account/useAction.ts'
import { forgetWish, keepWish, keptWish } from './setupWish.ts'

/** The set-up link: its opener becomes the owner, names the workspace and its first channel. */
export default function FirstRun() {
  const [kept] = useState(keptWish)
  const hash = new URLSearchParams(location.hash.slice(1))
  const token = hash.get('token') ?? kept?.token ?? null
  if (!token) {
    return (
      <Page
        title={i18n._('This set-up link is incomplete')}
        lead={i18n._('Copy the whole address that the server printed when it started.')}
      >
        <Link href="/">{i18n._('Go to Linnet')}</Link>
      </Page>
    )
  }
  return <SetUp token={token} mailbox={mailboxIn(hash.get('mailbox'))} kept={kept} />
}

/** Only an address of the web is a mailbox: the link itself comes from elsewhere. */
function mailboxIn(address: string | null): string | null {
  if (!address) return null
  try {
    const url = new URL(address, location.origin)
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null
  } catch {
    return null
  }
}

interface Props {
  token: string
  mailbox: string | null
  kept: ReturnType<typeof keptWish>
}

function SetUp({ token, mailbox, kept }: Props) {
  const account = useAccount()
  const session = useSession()
  const [, navigate] = useLocation()
  const [person, setPerson] = useState(kept?.person ?? '')
  const [workspace, setWorkspace] = useState(kept?.workspace ?? '')
  const [channel, setChannel] = useState(kept?.channel ?? i18n._('general'))
  const [email, setEmail] = useState('')
  const [mailed, setMailed] = useState(false)
  const action = useAction()
  const address = email.trim()
  const signedIn = account.status === 'signed-in'
  const complete =
    person.trim() !== '' &&
    workspace.trim() !== '' &&
    channel.trim() !== '' &&
    (signedIn || address.includes('@'))

  const found = async () => {
    const done = await action.run(() =>
      foundWorkspace({
        token,
        workspace_name: workspace.trim(),
        channel_name: channel.trim(),
        person_name: person.trim(),
      }),
    )
    if (!done) return
    forgetWish()
    navigate(`/c/${done.value.channel_id}`, { replace: true })
  }
  const ask = () => askForLink(address, { setup: token, next: '/setup' })
  const submit = async () => {
    if (!complete) return
    keepWish({ token, person: person.trim(), workspace: workspace.trim(), channel: channel.trim() })
    if (signedIn) await found()
    else if (await action.run(ask)) setMailed(true)
  }

  // Also the tab left waiting, when the mailed link was followed in another one.
  if (session.status === 'ready') return <Redirect to="/" replace />
  if (mailed && !signedIn) {
    return (
      <Page
        title={i18n._('Check your mail')}
        lead={
          mailbox
            ? i18n._(
                'No mail server is set up yet, so the mail to {address} waits in a mailbox on this machine. Open its link, or type its code here.',
                { address },
              )
            : i18n._('A mail to {address} is on its way. Open its link, or type its code here.', { address })
        }
      >
        <EnterCode
          to={{ email: address }}
          mailbox={mailbox}
          onDone={() => void found()}
          again={ask}
          onBack={() => setMailed(false)}
        />
      </Page>
    )
  }

  return (
    <Page
      title={i18n._('Set up Linnet')}
      lead={i18n._('You become the owner. All of this can be changed later.')}
    >
      <Form onSubmit={() => void submit()} failure={action.failure}>
        <TextField
          label={i18n._('Your name')}
          autoComplete="name"
          maxLength={LIMITS.personNameCharacters}
          value={person}
          onChange={(event) => setPerson(event.currentTarget.value)}
        />
        {signedIn ? null : (
          <TextField
            label={i18n._('E-mail address')}
            hint={i18n._('You sign in with it, by a mailed link and code.')}
            type="email"
            inputMode="email"
            autoComplete="email"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
        )}
        <TextField
          label={i18n._('Workspace name')}
          hint={i18n._('Your group, as people call it.')}
          autoComplete="organization"
          maxLength={LIMITS.workspaceNameCharacters}
          value={workspace}
          onChange={(event) => setWorkspace(event.currentTarget.value)}
        />
        <TextField
          label={i18n._('First channel')}
          autoComplete="off"
          maxLength={LIMITS.channelNameCharacters}
          value={channel}
          onChange={(event) => setChannel(event.currentTarget.value)}
        />
        <Button type="submit" look="primary" busy={action.busy} disabled={!complete}>
          {signedIn ? i18n._('Create the workspace') : i18n._('Continue')}
        </Button>
      </Form>
      {action.failure ? <Link href="/sign-in">{i18n._('Go to sign-in')}</Link> : null}
    </Page>
  )
}
