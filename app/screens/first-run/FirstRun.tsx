import { i18n } from '@lingui/core'
import { OwnNameField } from '../../features/flows/account/OwnNameField.tsx'
import { useEffect, useRef, useState } from 'react'
import { Link, Redirect } from '../../ui/Link.tsx'
import { pathTo } from '../../paths.ts'
import { navigate } from '../../historyState.ts'
import { isEmailAddress } from '../../../wire/emailAddress.ts'
import { LIMITS } from '../../../wire/limits.ts'
import { isLocalAddress } from '../../data/client/localAddress.ts'
import { foundWorkspace } from '../../data/people/invitations.ts'
import { useAccount } from '../../data/session/account.ts'
import { signInMethods } from '../../data/account/signInMethods.ts'
import { useQuery } from '../../data/queries/useQuery.ts'
import { useWorkspace } from '../../data/session/useWorkspace.ts'
import { requestSignInLink } from '../../data/session/signIn.ts'
import { Form } from '../../ui/Form.tsx'
import { Page } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { NewAccountFields, useNewAccount } from '../../features/flows/account/NewAccount.tsx'
import { EnterCode } from '../../features/flows/account/EnterCode.tsx'
import { ContinueInOtherTab } from '../../features/flows/account/ContinueInOtherTab.tsx'
import { clearFormInput, storeFormInput, readFormInput } from '../../features/flows/account/formInput.ts'
import { useAction, type ActionOutcome } from '../../ui/useAction.ts'
import { useMailsStayLocal } from '../../features/flows/account/useMailsStayLocal.ts'
import { MessagePage } from '../../features/flows/account/MessagePage.tsx'
import { useLinnetCommand } from '../../features/parts/server/useLinnetCommand.ts'

/** The setup page. Its first user becomes the owner, and names the workspace and its first channel. */
export default function FirstRun() {
  const [stored] = useState(() => readFormInput('setup'))
  const hash = new URLSearchParams(location.hash.slice(1))
  const token = hash.get('token') ?? stored?.token ?? null
  if (!token) {
    return (
      <MessagePage
        title={i18n._('This setup link is incomplete')}
        lead={i18n._('Copy the full link from the terminal and open it again.')}
      />
    )
  }
  return <SetUp token={token} mailbox={mailboxIn(hash.get('mailbox'))} stored={stored} />
}

/**
 * Returns the address only if it is http or https, because anyone can set the value in the URL. Null on other devices, because
 * the mailbox opens on the server's machine only.
 */
function mailboxIn(address: string | null): string | null {
  if (!address || !isLocalAddress()) return null
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
  stored: ReturnType<typeof readFormInput<'setup'>>
}

function SetUp({ token, mailbox, stored }: Props) {
  const account = useAccount()
  const session = useWorkspace()
  const mailsStayLocal = useMailsStayLocal()
  const linnet = useLinnetCommand()
  const mailedCodes = useQuery(signInMethods).value?.mailedCodes !== false
  const newAccount = useNewAccount()
  const [person, setPerson] = useState(stored?.person ?? '')
  const [workspace, setWorkspace] = useState(stored?.workspace ?? '')
  const [channel, setChannel] = useState(stored?.channel ?? i18n._('general'))
  const [email, setEmail] = useState('')
  const [mailed, setMailed] = useState(false)
  const [isRejected, setRejected] = useState(false)
  const [codeEntered, setCodeEntered] = useState(false)
  const action = useAction()
  const address = email.trim()
  const signedIn = account.status === 'signed-in'
  const isNamed = person.trim() !== '' && workspace.trim() !== '' && channel.trim() !== ''
  const choosesMethod = newAccount.isPending || (!mailedCodes && !signedIn)
  const isComplete =
    isNamed && (signedIn || isEmailAddress(address)) && (!choosesMethod || newAccount.isReady)

  const createWorkspace = async () => {
    const outcome = await foundWorkspace({
      token,
      workspace_name: workspace.trim(),
      channel_name: channel.trim(),
      person_name: person.trim(),
    })
    if (outcome.ok) {
      clearFormInput('setup')
      navigate(pathTo('channel', { channelId: outcome.value.channel_id }), { replace: true })
    } else {
      setMailed(false)
      setRejected(true)
    }
    return outcome
  }
  const onSignedIn = () => void action.run(createWorkspace)
  const requestLink = () => requestSignInLink(address, { setup: token, next: pathTo('setup') })
  const submit = async (): Promise<ActionOutcome<unknown>> => {
    storeFormInput('setup', {
      token,
      person: person.trim(),
      workspace: workspace.trim(),
      channel: channel.trim(),
    })
    if (choosesMethod) {
      const created = await newAccount.create(address, { setup: token })
      return created.ok ? createWorkspace() : created
    }
    if (signedIn) return createWorkspace()
    const sent = await requestLink()
    if (sent.ok) setMailed(true)
    return sent
  }

  // The emailed link opens this page with the stored form values: they are not requested again.
  const resumes = stored?.token === token && isNamed && !mailed && !isRejected
  const isStarted = useRef(false)
  useEffect(() => {
    if (!resumes || !signedIn || session.status === 'ready' || isStarted.current) return
    isStarted.current = true
    onSignedIn()
  })

  // Also applies to the waiting tab, if the emailed link was opened in another one.
  if (session.status === 'ready') return <Redirect to={pathTo('home')} />
  if (mailed && signedIn && !codeEntered) {
    return <ContinueInOtherTab busy={action.busy} onContinue={onSignedIn} />
  }
  if ((signedIn || account.status === 'loading') && (mailed || resumes)) {
    return <Skeleton label={i18n._('Creating the workspace')} />
  }
  if (mailed) {
    return (
      <EnterCode
        lead={
          mailbox
            ? i18n._(
                'No mail server is set up yet, so the email to {address} is in this server’s mailbox. Open the link in it, or enter its code here.',
                { address },
              )
            : mailsStayLocal
              ? i18n._(
                  'No mail server is set up yet, so the email to {address} is in this server’s mailbox. Run “{linnet} mailbox” on the server, and enter the code here.',
                  { address, linnet },
                )
              : i18n._('We sent an email to {address}. Open the link, or enter the code here.', { address })
        }
        to={{ email: address }}
        mailbox={mailbox}
        onSubmitting={setCodeEntered}
        onDone={onSignedIn}
        onResend={requestLink}
        onBack={() => setMailed(false)}
      />
    )
  }

  return (
    <Page
      title={i18n._('Set up Linnet')}
      lead={i18n._('You’ll be the owner. You can change everything here later.')}
    >
      <Form
        state={action}
        action={signedIn || choosesMethod ? i18n._('Create workspace') : i18n._('Continue')}
        isDisabled={!isComplete}
        run={submit}
      >
        <OwnNameField value={person} onChange={setPerson} />
        {signedIn ? null : (
          <TextField
            label={i18n._('Email address')}
            hint={
              !mailedCodes
                ? i18n._('You’ll sign in with this address.')
                : mailsStayLocal
                  ? i18n._(
                      'You’ll sign in with this email. Until a mail server is set up, codes go to the server’s mailbox.',
                    )
                  : i18n._('You’ll sign in with a link or code we email you.')
            }
            type="email"
            autoComplete="email"
            value={email}
            onChange={setEmail}
          />
        )}
        {choosesMethod ? <NewAccountFields account={newAccount} /> : null}
        <TextField
          label={i18n._('Workspace name')}
          hint={i18n._('The name of your team or group.')}
          autoComplete="organization"
          maxLength={LIMITS.workspaceNameCharacters}
          value={workspace}
          onChange={setWorkspace}
        />
        <TextField
          label={i18n._('First channel')}
          maxLength={LIMITS.channelNameCharacters}
          value={channel}
          onChange={setChannel}
        />
      </Form>
      {action.failure ? <Link href={pathTo('signIn')}>{i18n._('Go to sign-in')}</Link> : null}
    </Page>
  )
}
