import { i18n } from '@lingui/core'
import { useEffect, useState } from 'react'
import type { Invitation } from '../../../../../wire/invitations.ts'
import { useSidebar } from '../../../../data/channels/channels.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { invitationList, resendInvitation, revokeInvitation } from '../../../../data/people/invitations.ts'
import { useProfile } from '../../../../data/people/people.ts'
import { usePagedQuery } from '../../../../data/queries/pagedQuery.ts'
import { Button } from '../../../../ui/Button.tsx'
import { formatDate, formatTime } from '../../../../ui/dates.ts'
import { useToast } from '../../../../ui/toast.ts'
import layout from '../../../../ui/dialogLayout.module.css'
import { useMinute } from '../../../../ui/useMinute.ts'
import { PagedList } from '../../../parts/lists/PagedList.tsx'
import styles from './OpenInvitations.module.css'

/** While mails are being sent, the list is fetched again. */
const REFRESH_INTERVAL_MS = 3000

/** The invitations that can be used, or sent again; each can be revoked. */
export function OpenInvitations() {
  const pages = usePagedQuery(invitationList)
  const isSending = pages.value?.some(({ mail }) => mail === 'queued') ?? false
  useEffect(() => {
    if (!isSending) return
    const timer = setInterval(() => invitationList.invalidate(), REFRESH_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [isSending])
  return (
    <section className={layout.separated} aria-label={i18n._('Pending invitations')}>
      <h3 className={layout.label}>{i18n._('Pending invitations')}</h3>
      {pages.value?.length ? (
        <p className={layout.small}>
          {i18n._('Links are shown only when you create them. To share one again, create a new link.')}
        </p>
      ) : null}
      <PagedList
        label={i18n._('Pending invitations')}
        className={styles.list}
        pages={pages}
        empty={i18n._('No pending invitations.')}
        render={(one) => <Row key={one.id} invitation={one} />}
      />
    </section>
  )
}

function Row({ invitation }: { invitation: Invitation }) {
  const showToast = useToast()
  const { access_days: days, email, expires_at, invited_by, max_uses, suspended, uses } = invitation
  const inviter = useProfile(invited_by)
  const [isConfirming, setConfirming] = useState(false)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const revoke = async () => {
    setBusy(true)
    setFailure(null)
    const outcome = await revokeInvitation(invitation.id)
    setBusy(false)
    if (outcome.ok) showToast({ text: i18n._('Invitation revoked.') })
    else setFailure(outcome.failure.message)
  }
  const resend = async () => {
    setBusy(true)
    setFailure(null)
    const outcome = await resendInvitation(invitation.id)
    setBusy(false)
    if (outcome.ok) showToast({ text: i18n._('Invitation sent again.') })
    else setFailure(outcome.failure.message)
  }
  const hasExpired = Date.parse(expires_at) <= useMinute().getTime()
  const name = email ?? i18n._('Link')
  const facts = [
    roleName(invitation.role),
    inviter ? i18n._('created by {person}', { person: isolateBidi(inviter.name) }) : null,
    email === null
      ? i18n._('{left, plural, one {# use left} other {# uses left}}', { left: max_uses - uses })
      : null,
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
        <p className={layout.small}>{facts.filter(Boolean).join(' · ')}</p>
        {channels ? <p className={layout.small}>{channels}</p> : null}
        {hasExpired ? null : mailState(invitation.mail)}
        {suspended && !hasExpired ? (
          <p className={layout.small}>
            {i18n._('Suspended: the person who created it can no longer invite people.')}
          </p>
        ) : null}
        {isConfirming ? (
          <p role="status" className={styles.question}>
            {email === null
              ? i18n._('Revoke this link? It will stop working. People who already joined stay.')
              : i18n._('Revoke this invitation? {email} won’t be able to join with it.', {
                  email: isolateBidi(email),
                })}
          </p>
        ) : null}
        {failure ? <p role="alert">{failure}</p> : null}
      </div>
      {isConfirming ? (
        <div className={styles.choice}>
          <Button variant="danger" busy={busy} autoFocus onClick={() => void revoke()}>
            {i18n._('Revoke')}
          </Button>
          <Button onClick={() => setConfirming(false)}>{i18n._('Cancel')}</Button>
        </div>
      ) : (
        <div className={styles.choice}>
          {invitation.mail !== null && invitation.mail !== 'queued' && email !== null ? (
            <Button
              busy={busy}
              aria-label={i18n._('Resend invitation to {email}', { email })}
              onClick={() => void resend()}
            >
              {i18n._('Resend')}
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
      )}
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
  return mail === null ? null : <p className={layout.small}>{text[mail]()}</p>
}

function roleName(role: Invitation['role']): string {
  if (role === 'guest') return i18n._('Guest')
  return role === 'admin' ? i18n._('Admin') : i18n._('Member')
}
