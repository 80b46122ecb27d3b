import { i18n } from '@lingui/core'
import { useEffect, useState } from 'react'
import type { Invitation } from '../../../../../wire/invitations.ts'
import { useSidebar } from '../../../../data/channels/channels.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { invitationList, resendInvitation, revokeInvitation } from '../../../../data/people/invitations.ts'
import { useProfile } from '../../../../data/people/people.ts'
import { usePagedQuery } from '../../../../data/queries/pagedQuery.ts'
import { useAction } from '../../../../ui/useAction.ts'
import { Button } from '../../../../ui/Button.tsx'
import { ConfirmDialog } from '../../../../ui/ConfirmDialog.tsx'
import { formatDate, formatTime } from '../../../../ui/dates.ts'
import { useToast } from '../../../../ui/toast.ts'
import layout from '../../../../ui/dialogLayout.module.css'
import { useMinute } from '../../../../ui/useMinute.ts'
import { PagedList } from '../../../parts/lists/PagedList.tsx'
import styles from './OpenInvitations.module.css'

/** While mails are being sent, the list is fetched again. */
const REFRESH_INTERVAL_MS = 3000

/**
 * The invitations that can be used, or sent again; each can be revoked.
 * @param onChange starts a new invitation in place of a mailed one
 */
export function OpenInvitations({ onChange }: { onChange: (invitation: Invitation) => void }) {
  const pages = usePagedQuery(invitationList)
  const isSending = pages.value?.some(({ mail }) => mail === 'queued') ?? false
  useEffect(() => {
    if (!isSending) return
    const timer = setInterval(() => invitationList.invalidate(), REFRESH_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [isSending])
  return (
    <section className={layout.separated} aria-label={i18n._('Pending invitations')}>
      <h3 className="label">{i18n._('Pending invitations')}</h3>
      {pages.value?.length ? (
        <p className="note">
          {i18n._('Links are shown only when you create them. To share one again, create a new link.')}
        </p>
      ) : null}
      <PagedList
        label={i18n._('Pending invitations')}
        className={styles.list}
        pages={pages}
        empty={i18n._('No pending invitations.')}
        render={(one) => <Row key={one.id} invitation={one} onChange={onChange} />}
      />
    </section>
  )
}

interface RowProps {
  invitation: Invitation
  onChange: (invitation: Invitation) => void
}

function Row({ invitation, onChange }: RowProps) {
  const showToast = useToast()
  const resending = useAction()
  const {
    access_days: days,
    email,
    expires_at,
    invited_by,
    max_uses,
    starts_at,
    suspended,
    uses,
  } = invitation
  const inviter = useProfile(invited_by)
  const [isConfirming, setConfirming] = useState(false)
  const resend = async () => {
    if (await resending.run(() => resendInvitation(invitation.id)))
      showToast({ text: i18n._('Invitation sent again.') })
  }
  const hasExpired = Date.parse(expires_at) <= useMinute().getTime()
  const name = email ?? i18n._('Link')
  const facts = [
    roleName(invitation.role),
    inviter ? i18n._('created by {person}', { person: isolateBidi(inviter.name) }) : null,
    email === null
      ? i18n._('{left, plural, one {# use left} other {# uses left}}', { left: max_uses - uses })
      : null,
    starts_at === null ? null : i18n._('access from {date}', { date: formatDate(starts_at) }),
    days === null ? null : i18n._('access for {days, plural, one {# day} other {# days}}', { days }),
    hasExpired
      ? i18n._('expired {date}', { date: formatDate(expires_at) })
      : i18n._('expires {date}, {time}', { date: formatDate(expires_at), time: formatTime(expires_at) }),
  ]
  const channels = useChannelList(invitation.channels)
  return (
    <li className={styles.row}>
      <div className={styles.details}>
        <bdi className={styles.name}>{name}</bdi>
        <p className="note">{facts.filter(Boolean).join(' · ')}</p>
        {channels ? <p className="note">{channels}</p> : null}
        {hasExpired ? null : mailState(invitation.mail)}
        {suspended && !hasExpired ? (
          <p className="note">
            {i18n._('Suspended: the person who created it can no longer invite people.')}
          </p>
        ) : null}
        {resending.failure ? <p role="alert">{resending.failure}</p> : null}
      </div>
      <div className={styles.choice}>
        {invitation.mail !== null && invitation.mail !== 'queued' && email !== null ? (
          <Button
            busy={resending.busy}
            aria-label={i18n._('Resend invitation to {email}', { email })}
            onClick={() => void resend()}
          >
            {i18n._('Resend')}
          </Button>
        ) : null}
        {invitation.mail !== null && email !== null ? (
          <Button
            aria-label={i18n._('Change invitation for {email}', { email })}
            onClick={() => onChange(invitation)}
          >
            {i18n._('Change')}
          </Button>
        ) : null}
        <Button
          aria-label={
            email === null
              ? i18n._('Revoke link expiring {date}', { date: formatDate(expires_at) })
              : i18n._('Revoke invitation for {email}', { email })
          }
          onClick={() => setConfirming(true)}
        >
          {i18n._('Revoke')}
        </Button>
      </div>
      {isConfirming ? (
        <ConfirmDialog
          title={email === null ? i18n._('Revoke this link?') : i18n._('Revoke this invitation?')}
          text={
            email === null
              ? i18n._('It will stop working. People who already joined stay.')
              : i18n._('{email} won’t be able to join with it.', { email: isolateBidi(email) })
          }
          action={email === null ? i18n._('Revoke link') : i18n._('Revoke invitation')}
          isDestructive
          run={() => revokeInvitation(invitation.id)}
          doneText={i18n._('Invitation revoked.')}
          onClose={() => setConfirming(false)}
        />
      ) : null}
    </li>
  )
}

/** The channels of an invitation, by their names in the reader's sidebar. */
function useChannelList(ids: readonly string[]): string | null {
  const { channels } = useSidebar()
  const names = ids.flatMap((id) => channels.find((channel) => channel.id === id)?.name ?? [])
  const rest = ids.length - names.length
  const parts = [
    ...names.map((name) => isolateBidi(`#${name}`)),
    ...(rest ? [i18n._('{rest, plural, one {# more channel} other {# more channels}}', { rest })] : []),
  ]
  if (parts.length === 0) return null
  return i18n._('Adds to {channels}', { channels: new Intl.ListFormat(i18n.locale).format(parts) })
}

function mailState(mail: Invitation['mail']) {
  const text = {
    queued: () => i18n._('Sending…'),
    sent: () => i18n._('Sent.'),
    rejected: () => i18n._('The address doesn’t accept emails. Check it, and invite the right one.'),
    failed: () => i18n._('The email couldn’t be sent. Send it again later.'),
  }
  return mail === null ? null : <p className="note">{text[mail]()}</p>
}

function roleName(role: Invitation['role']): string {
  if (role === 'guest') return i18n._('Guest')
  return role === 'admin' ? i18n._('Admin') : i18n._('Member')
}
