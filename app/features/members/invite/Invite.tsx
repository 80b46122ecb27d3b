import { i18n } from '@lingui/core'
import { useState } from 'react'
import { useRoute } from 'wouter'
import { useSidebar } from '../../../data/channels/channels.ts'
import { fetchSignInMethods } from '../../../data/account/signInMethods.ts'
import { createInvitation, inviteByEmail } from '../../../data/people/invitations.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { cx } from '../../../ui/cx.ts'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form } from '../../../ui/Form.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { TextField } from '../../../ui/TextField.tsx'
import { useAsync } from '../../../ui/useAsync.ts'
import { CopyField } from './CopyField.tsx'
import { OpenInvitations } from './OpenInvitations.tsx'
import { useMe } from '../MeContext.ts'

type Role = 'member' | 'guest' | 'admin'

interface Props {
  channelId: string | null
  onClose: () => void
}

/** Invites by email or by a shared link; by link only if no mail server is set up. */
export default function Invite(props: Props) {
  const answer = useAsync(fetchSignInMethods)
  if (!answer) return null
  return <InviteDialog {...props} sendsMail={!(answer.ok && answer.value.hasLocalMailbox)} />
}

/** Invites by either method, to the selected channels. */
function InviteDialog({ channelId, onClose, sendsMail }: Props & { sendsMail: boolean }) {
  const me = useMe()
  const { channels } = useSidebar()
  const [role, setRole] = useState<Role>('member')
  const [ticked, setTicked] = useState<string[] | null>(null)
  const [email, setEmail] = useState('')
  const [sentTo, setSentTo] = useState<string[]>([])
  const [unsent, setUnsent] = useState<{ to: string; link: string; reason: string } | null>(null)
  const [link, setLink] = useState<string | null>(null)
  const [busy, setBusy] = useState<'mail' | 'link' | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [createdCount, setCreatedCount] = useState(0)
  const [, route] = useRoute<{ channel: string }>('/c/:channel/*?')
  const currentChannel = channels.find((channel) => channel.id === (channelId ?? route?.channel))
  const first = (currentChannel ?? channels[0])?.id
  const channelIds = ticked ?? (first ? [first] : [])
  const lacksChannel = role === 'guest' && channelIds.length === 0

  const sendInvitation = async () => {
    const address = email.trim()
    if (!sendsMail || !address.includes('@') || busy || lacksChannel) return
    setBusy('mail')
    setFailure(null)
    setUnsent(null)
    const outcome = await inviteByEmail(address, { role, channels: channelIds })
    setBusy(null)
    if (!outcome.ok) return setFailure(outcome.failure.message)
    setEmail('')
    setCreatedCount(createdCount + 1)
    const { link: single, failure: reason } = outcome.value
    if (reason) setUnsent({ to: address, link: single, reason: reason.message })
    else setSentTo([...sentTo, address])
  }
  const createLink = async () => {
    setBusy('link')
    setFailure(null)
    const outcome = await createInvitation({ role, channels: channelIds, hours: 168, maxUses: 100 })
    setBusy(null)
    if (!outcome.ok) return setFailure(outcome.failure.message)
    setLink(outcome.value.link)
    setCreatedCount(createdCount + 1)
  }

  const roles: { value: Role; label: string }[] = [
    { value: 'member', label: i18n._('Member') },
    { value: 'guest', label: i18n._('Guest') },
  ]
  if (me.role === 'owner') roles.push({ value: 'admin', label: i18n._('Admin') })

  return (
    <Dialog title={i18n._('Invite people')} onClose={onClose}>
      <div className={layout.body}>
        <Form onSubmit={() => void sendInvitation()} failure={failure}>
          {sendsMail ? (
            <TextField
              label={i18n._('Email address')}
              type="email"
              inputMode="email"
              autoComplete="off"
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
          ) : (
            <p>
              {i18n._(
                'No mail server is set up, so Linnet can’t email invitations. Create a link and share it yourself. People who open it sign in with a code from the server’s mailbox; the terminal shows the link to it.',
              )}
            </p>
          )}
          <RadioGroup
            label={i18n._('Role')}
            value={role}
            options={roles}
            onChange={(next) => {
              setRole(next)
              setLink(null)
            }}
          />
          <p className={layout.small}>{roleHint(role)}</p>
          <fieldset>
            <legend className={layout.label}>{i18n._('Add to channels')}</legend>
            <ul className={cx(layout.list, layout.short)}>
              {startingWith(channels, first).map((channel) => (
                <li key={channel.id} className={layout.row}>
                  <Checkbox
                    label={channel.name}
                    hint={channel.kind === 'private' ? i18n._('Private') : undefined}
                    checked={channelIds.includes(channel.id)}
                    onChange={(on) => {
                      setTicked(
                        on ? [...channelIds, channel.id] : channelIds.filter((id) => id !== channel.id),
                      )
                      setLink(null)
                    }}
                  />
                </li>
              ))}
            </ul>
            {lacksChannel ? (
              <p className={layout.small}>{i18n._('Guests need at least one channel.')}</p>
            ) : null}
          </fieldset>
          {sendsMail ? (
            <>
              <p role="status" className={layout.small}>
                {unsent
                  ? i18n._('Couldn’t send the invitation to {email}. {reason}', {
                      email: unsent.to,
                      reason: unsent.reason,
                    })
                  : sentTo.length
                    ? i18n._('Invitation sent to {people}.', {
                        people: new Intl.ListFormat(i18n.locale).format(sentTo),
                      })
                    : null}
              </p>
              {unsent ? (
                <CopyField
                  label={i18n._('Invitation link for {email}', { email: unsent.to })}
                  value={unsent.link}
                  hint={i18n._('Only this person can join with it, within 7 days. Send it to them yourself.')}
                />
              ) : null}
              <div className={layout.footer}>
                <Button
                  type="submit"
                  variant="primary"
                  busy={busy === 'mail'}
                  disabled={!email.includes('@') || lacksChannel}
                >
                  {i18n._('Send invitation')}
                </Button>
              </div>
            </>
          ) : null}
        </Form>
        <div className={layout.separated}>
          {link ? (
            <CopyField
              label={i18n._('Invitation link')}
              value={link}
              hint={i18n._('Anyone with this link can join for 7 days. Copy it now; you won’t see it again.')}
            />
          ) : (
            <div className={layout.row}>
              <span className={layout.name}>
                {sendsMail ? i18n._('Or share a link') : i18n._('Share a link')}
              </span>
              <Button
                variant={sendsMail ? 'plain' : 'primary'}
                busy={busy === 'link'}
                disabled={lacksChannel}
                onClick={() => void createLink()}
              >
                {i18n._('Create link')}
              </Button>
            </div>
          )}
        </div>
        <OpenInvitations key={createdCount} />
      </div>
    </Dialog>
  )
}

/** The current channel comes first, where its checkbox is visible. */
function startingWith<C extends { id: string }>(channels: readonly C[], first: string | undefined): C[] {
  return [...channels].sort((a, b) => Number(b.id === first) - Number(a.id === first))
}

function roleHint(role: Role): string {
  if (role === 'guest') return i18n._('Guests only see the channels they’re added to and the people in them.')
  if (role === 'admin') return i18n._('Admins also manage people, channels and invitations.')
  return i18n._('Members can join public channels and create channels.')
}
