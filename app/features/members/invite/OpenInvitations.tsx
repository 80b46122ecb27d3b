import { i18n } from '@lingui/core'
import { useCallback, useState } from 'react'
import type { Invitation } from '../../../../wire/invitations.ts'
import { useSidebar } from '../../../data/channels/channels.ts'
import { success } from '../../../data/failures/failures.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { listInvitations, revokeInvitation } from '../../../data/people/invitations.ts'
import { useProfile } from '../../../data/people/people.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatDate, formatTime } from '../../../ui/dates.ts'
import { useToast } from '../../../ui/toast.ts'
import layout from '../../../ui/dialogLayout.module.css'
import { useAsync } from '../../../ui/useAsync.ts'
import styles from './OpenInvitations.module.css'

/** Pages shown at most, 50 invitations each. */
const MAX_PAGES = 20

/** The usable invitations at the time of opening; each can be revoked. */
export function OpenInvitations() {
  const [reloadKey, setReloadKey] = useState(0)
  const [pages, setPages] = useState(1)
  const [revoked, setRevoked] = useState<readonly string[]>([])
  const showToast = useToast()
  const load = useCallback(async () => {
    const listed: Invitation[] = []
    let before: string | null = null
    for (let page = 0; page < pages; page++) {
      const answer = await listInvitations(before)
      if (!answer.ok) return answer
      listed.push(...answer.value.invitations)
      before = answer.value.before
      if (before === null) break
    }
    return success({ listed, hasMore: before !== null })
  }, [pages])
  const answer = useAsync(load, reloadKey)
  const open = answer?.ok ? answer.value.listed.filter(({ id }) => !revoked.includes(id)) : []
  return (
    <section className={layout.separated} aria-label={i18n._('Pending invitations')}>
      <h3 className={layout.label}>{i18n._('Pending invitations')}</h3>
      {!answer ? (
        <p className={layout.small}>{i18n._('Loading…')}</p>
      ) : !answer.ok ? (
        <div className={layout.row}>
          <span role="alert">{answer.failure.message}</span>
          <Button onClick={() => setReloadKey(reloadKey + 1)}>{i18n._('Try again')}</Button>
        </div>
      ) : open.length === 0 ? (
        <p className={layout.small}>{i18n._('No pending invitations.')}</p>
      ) : (
        <>
          <p className={layout.small}>
            {i18n._('Links are shown only when you create them. To share one again, create a new link.')}
          </p>
          <ul className={styles.list}>
            {open.map((one) => (
              <Row
                key={one.id}
                invitation={one}
                onRevoked={() => {
                  setRevoked([...revoked, one.id])
                  showToast({ text: i18n._('Invitation revoked.') })
                }}
              />
            ))}
          </ul>
          {answer.value.hasMore && pages < MAX_PAGES ? (
            <Button variant="quiet" onClick={() => setPages(pages + 1)}>
              {i18n._('Show more')}
            </Button>
          ) : null}
        </>
      )}
    </section>
  )
}

function Row({ invitation, onRevoked }: { invitation: Invitation; onRevoked: () => void }) {
  const { email, expires_at, invited_by, max_uses, suspended, uses } = invitation
  const inviter = useProfile(invited_by)
  const [isConfirming, setConfirming] = useState(false)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const revoke = async () => {
    setBusy(true)
    setFailure(null)
    const outcome = await revokeInvitation(invitation.id)
    setBusy(false)
    if (outcome.ok) onRevoked()
    else setFailure(outcome.failure.message)
  }
  const name = email ?? i18n._('Link')
  const facts = [
    roleName(invitation.role),
    inviter ? i18n._('created by {person}', { person: isolateBidi(inviter.name) }) : null,
    email === null
      ? i18n._('{left, plural, one {# use left} other {# uses left}}', { left: max_uses - uses })
      : null,
    i18n._('expires {date}, {time}', { date: formatDate(expires_at), time: formatTime(expires_at) }),
  ]
  const channels = useChannelList(invitation.channels)
  return (
    <li className={styles.row}>
      <div className={styles.details}>
        <bdi className={styles.name}>{name}</bdi>
        <p className={layout.small}>{facts.filter(Boolean).join(' · ')}</p>
        {channels ? <p className={layout.small}>{channels}</p> : null}
        {suspended ? (
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
          <Button variant="primary" busy={busy} autoFocus onClick={() => void revoke()}>
            {i18n._('Revoke')}
          </Button>
          <Button onClick={() => setConfirming(false)}>{i18n._('Cancel')}</Button>
        </div>
      ) : (
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

function roleName(role: Invitation['role']): string {
  if (role === 'guest') return i18n._('Guest')
  return role === 'admin' ? i18n._('Admin') : i18n._('Member')
}
