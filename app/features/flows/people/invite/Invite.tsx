import { i18n } from '@lingui/core'
import { useRef, useState } from 'react'
import type { Invitation } from '../../../../../wire/invitations.ts'
import { isLocalAddress } from '../../../../data/client/localAddress.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { useAction } from '../../../../ui/useAction.ts'
import { conversationIn } from '../../../../paths.ts'
import { useSidebar } from '../../../../data/channels/channels.ts'
import { signInMethods } from '../../../../data/account/signInMethods.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { mailAvailability } from '../../../../data/notifications/mailServer.ts'
import { createInvitation, inviteByMail, revokeInvitation } from '../../../../data/people/invitations.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Checkbox } from '../../../../ui/Checkbox.tsx'
import { cx } from '../../../../ui/cx.ts'
import { RadioGroup } from '../../../../ui/RadioGroup.tsx'
import { Dialog } from '../../../../ui/Dialog.tsx'
import { FormDialog } from '../../../../ui/FormDialog.tsx'
import layout from '../../../../ui/dialogLayout.module.css'
import { SelectField } from '../../../../ui/SelectField.tsx'
import { TextArea } from '../../../../ui/TextArea.tsx'
import { TextField } from '../../../../ui/TextField.tsx'
import { dayOf, startOfDay } from '../../../parts/times/dayField.ts'
import { QrCode } from '../../account/QrCode.tsx'
import { CopyField } from './CopyField.tsx'
import { OpenInvitations } from './OpenInvitations.tsx'
import { parseAddresses } from './parseAddresses.ts'
import { LocalAddressNote } from '../../../parts/LocalAddressNote.tsx'
import styles from './Invite.module.css'
import { useMe } from '../../../parts/members/MeContext.ts'
import { useLinnetCommand } from '../../../parts/server/useLinnetCommand.ts'

/** As many as `invite_by_mail` accepts. */
const MAX_ADDRESSES = 100

type Role = 'member' | 'guest' | 'admin'

interface Props {
  channelId?: string
  onClose: () => void
}

type Delivery = 'mail' | 'link' | 'mailbox'

/**
 * How invitations are delivered: by mail, or only by links; then sign-in codes may be in the mailbox of the server. Null
 * until that is known.
 */
function useDelivery(): Delivery | null {
  const methods = useQuery(signInMethods)
  const mail = useQuery(mailAvailability)
  if (methods.value?.mailedCodes === false) return 'link'
  if (methods.value?.hasLocalMailbox) return 'mailbox'
  if ([methods, mail].some(({ value, failure }) => value === undefined && !failure)) return null
  // A server that can't be reached now fails the command, with its reason.
  return mail.value === false ? 'link' : 'mail'
}

/** Invites by email or by a shared link; by link only if no mail server is set up. */
export default function Invite(props: Props) {
  const delivery = useDelivery()
  return delivery ? <InviteDialog {...props} delivery={delivery} /> : null
}

/** Invites by either method, to the selected channels. */
function InviteDialog({ channelId, onClose, delivery }: Props & { delivery: Delivery }) {
  const linnet = useLinnetCommand()
  const sendsMail = delivery === 'mail'
  const me = useMe()
  const { channels } = useSidebar()
  const [role, setRole] = useState<Role>('member')
  const [ticked, setTicked] = useState<string[] | null>(null)
  const [text, setText] = useState('')
  const [hours, setHours] = useState(168)
  const [maxUses, setMaxUses] = useState(100)
  const [accessDays, setAccessDays] = useState(0)
  const [startDay, setStartDay] = useState('')
  const [today] = useState(() => dayOf(new Date()))
  const [sentCount, setSentCount] = useState(0)
  const [members, setMembers] = useState<readonly string[]>([])
  const [link, setLink] = useState<string | null>(null)
  const [replaced, setReplaced] = useState<Invitation | null>(null)
  const addressField = useRef<HTMLTextAreaElement>(null)
  const creation = useAction()
  const currentChannel = channels.find(
    (channel) => channel.id === (channelId ?? conversationIn(location.pathname).channelId),
  )
  // A guest sees nothing that the reader has not chosen for them.
  const channelIds = ticked ?? (channelId !== undefined && role !== 'guest' ? [channelId] : [])
  const lacksChannel = role === 'guest' && channelIds.length === 0

  const { addresses, invalid } = parseAddresses(text)
  const count = addresses.length
  const canSend = count > 0 && count <= MAX_ADDRESSES && invalid.length === 0 && !lacksChannel
  const input = {
    role,
    channels: channelIds,
    hours,
    accessDays: role === 'guest' && accessDays > 0 ? accessDays : null,
    startsAt: role === 'guest' && startDay > today ? startOfDay(startDay) : null,
  }

  const sendInvitations = async () => {
    setSentCount(0)
    const outcome = await inviteByMail(addresses, input)
    if (!outcome.ok) return outcome
    setText('')
    setSentCount(outcome.value.invited)
    setMembers(outcome.value.members)
    setReplaced(null)
    // The server ends earlier invitations of the same address only.
    return replaced && !addresses.includes(replaced.email ?? '') ? revokeInvitation(replaced.id) : outcome
  }
  const changeInvitation = (invitation: Invitation) => {
    setReplaced(invitation)
    setText(invitation.email ?? '')
    if (roles.some(({ value }) => value === invitation.role)) setRole(invitation.role)
    setTicked(invitation.channels)
    setAccessDays(invitation.access_days ?? 0)
    setStartDay(invitation.starts_at ? dayOf(new Date(invitation.starts_at)) : '')
    setSentCount(0)
    addressField.current?.focus()
  }
  const createLink = async () => {
    const outcome = await createInvitation({ ...input, maxUses })
    if (outcome.ok) setLink(outcome.value.link)
    return outcome
  }
  /** What the link was created for has changed. */
  const change =
    <V,>(set: (value: V) => void) =>
    (value: V) => {
      set(value)
      setLink(null)
    }

  const roles: { value: Role; label: string }[] = [
    { value: 'member', label: i18n._('Member') },
    { value: 'guest', label: i18n._('Guest') },
  ]
  if (me.role === 'owner') roles.push({ value: 'admin', label: i18n._('Admin') })

  if (link && !sendsMail)
    return (
      <Dialog title={i18n._('Invite people')} onClose={onClose}>
        <div className={layout.body}>
          <LocalAddressNote />
          <CreatedLink link={link} />
          <div className={layout.footer}>
            <Button variant="quiet" onClick={() => setLink(null)}>
              {i18n._('Create another link')}
            </Button>
            <Button variant="primary" onClick={onClose}>
              {i18n._('Done')}
            </Button>
          </div>
        </div>
      </Dialog>
    )
  const linkUses = (
    <SelectField
      label={sendsMail ? i18n._('Or share a link for') : i18n._('Share a link for')}
      value={maxUses}
      options={[1, 10, 100, 1000].map((value) => ({
        value,
        label: i18n._('{value, plural, one {# person} other {# people}}', { value }),
      }))}
      onChange={setMaxUses}
    />
  )
  return (
    <FormDialog
      title={i18n._('Invite people')}
      action={
        !sendsMail
          ? i18n._('Create link')
          : count > 1
            ? i18n._('Send {count} invitations', { count })
            : i18n._('Send invitation')
      }
      run={async () => {
        const outcome = await (sendsMail ? sendInvitations() : createLink())
        return outcome.ok ? null : outcome
      }}
      isDisabled={sendsMail ? !canSend : lacksChannel}
      secondAction={null}
      below={
        <>
          {sendsMail ? (
            <div className={layout.separated}>
              {link ? (
                <CreatedLink link={link} />
              ) : (
                <div className={styles.link}>
                  {linkUses}
                  <Button
                    busy={creation.busy}
                    disabled={lacksChannel}
                    onClick={() => void creation.run(createLink)}
                  >
                    {i18n._('Create link')}
                  </Button>
                </div>
              )}
              <p role="alert">{creation.failure}</p>
            </div>
          ) : null}
          <OpenInvitations onChange={changeInvitation} />
        </>
      }
      onClose={onClose}
    >
      <LocalAddressNote />
      {sendsMail ? (
        <TextArea
          label={i18n._('Email addresses')}
          hint={
            invalid.length
              ? i18n._('Not an email address: {entries}', {
                  entries: new Intl.ListFormat(i18n.locale).format(invalid.slice(0, 5)),
                })
              : count > MAX_ADDRESSES
                ? i18n._('You can invite up to {count} people at once.', { count: MAX_ADDRESSES })
                : i18n._('Separate several with commas or new lines.')
          }
          ref={addressField}
          autoCapitalize="off"
          spellCheck={false}
          dir="ltr"
          value={text}
          onChange={setText}
        />
      ) : (
        <p>
          {delivery === 'mailbox'
            ? i18n._(
                'No mail server is set up, so Linnet can’t email invitations. Create a link and share it yourself. People who open it sign in with a code from the server’s mailbox, which “{linnet} mailbox” prints on the server.',
                { linnet },
              )
            : i18n._('No mail server is set up for invitations. Create a link and share it yourself.')}
        </p>
      )}
      <RadioGroup
        label={i18n._('Role')}
        hint={roleHint(role)}
        value={role}
        options={roles}
        onChange={change(setRole)}
      />
      <fieldset>
        <legend className="label">{i18n._('Add to channels')}</legend>
        <ul className={cx(layout.list, layout.short)}>
          {startingWith(channels, currentChannel?.id).map((channel) => (
            <li key={channel.id} className={layout.row}>
              <Checkbox
                label={channel.name}
                hint={channel.kind === 'private' ? i18n._('Private') : undefined}
                checked={channelIds.includes(channel.id)}
                onChange={(on) => {
                  setTicked(on ? [...channelIds, channel.id] : channelIds.filter((id) => id !== channel.id))
                  setLink(null)
                }}
              />
            </li>
          ))}
        </ul>
        {channelIds.length === 0 ? (
          <p className="note">
            {role === 'guest'
              ? i18n._('Guests need at least one channel.')
              : i18n._('If you choose none, they start in the default channels.')}
          </p>
        ) : null}
      </fieldset>
      <div className={styles.limits}>
        <SelectField
          label={i18n._('Invitation expires after')}
          value={hours}
          options={[24, 168, 720].map((value) => ({ value, label: dayCount(value / 24) }))}
          onChange={change(setHours)}
        />
        {role === 'guest' ? (
          <TextField
            label={i18n._('Access from')}
            hint={i18n._('Leave it empty if they can join right away.')}
            type="date"
            min={today}
            value={startDay}
            onChange={change(setStartDay)}
          />
        ) : null}
        {role === 'guest' ? (
          <SelectField
            label={i18n._('Access ends after')}
            hint={i18n._(
              'Counted from the day on which they join. After that, you can choose a date under “Manage people”.',
            )}
            value={accessDays}
            options={[...new Set([0, 1, 7, 14, 30, 90, 365, accessDays])].map((value) => ({
              value,
              label: value ? dayCount(value) : i18n._('Never'),
            }))}
            onChange={change(setAccessDays)}
          />
        ) : null}
      </div>
      {sendsMail ? null : linkUses}
      {replaced ? (
        <p className="note">
          {i18n._('Replaces the invitation for {email}.', { email: isolateBidi(replaced.email ?? '') })}
        </p>
      ) : null}
      <div role="status" className="note">
        {sentCount ? (
          <p>
            {i18n._('{count, plural, one {# invitation is} other {# invitations are}} on the way.', {
              count: sentCount,
            })}
          </p>
        ) : null}
        {members.length > 0 ? (
          <p>
            {i18n._('{count, plural, one {Already a member} other {Already members}}: {addresses}', {
              count: members.length,
              addresses: new Intl.ListFormat(i18n.locale).format(members.map(isolateBidi)),
            })}
          </p>
        ) : null}
      </div>
    </FormDialog>
  )
}

/** The link that was created, and its QR code for people in the same place. */
function CreatedLink({ link }: { link: string }) {
  return (
    <div className={styles.created}>
      <CopyField
        label={i18n._('Invitation link')}
        value={link}
        hint={i18n._('Anyone with this link can join until it expires. Copy it now; you won’t see it again.')}
      />
      {isLocalAddress() ? null : (
        <>
          <p className="muted">{i18n._('People beside you can scan this code with their phone’s camera.')}</p>
          <QrCode text={link} label={i18n._('QR code with the invitation link')} />
        </>
      )}
    </div>
  )
}

/** The current channel comes first, where its checkbox is visible. */
function startingWith<C extends { id: string }>(channels: readonly C[], first: string | undefined): C[] {
  return [...channels].sort((a, b) => Number(b.id === first) - Number(a.id === first))
}

function dayCount(days: number): string {
  return i18n._('{days, plural, one {# day} other {# days}}', { days })
}

function roleHint(role: Role): string {
  if (role === 'guest') return i18n._('Guests only see the channels they’re added to and the people in them.')
  if (role === 'admin') return i18n._('Admins also manage people, channels and invitations.')
  return i18n._('Members can join public channels and create channels.')
}
