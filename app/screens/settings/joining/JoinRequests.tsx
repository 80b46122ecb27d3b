import { i18n } from '@lingui/core'
import { useRef } from 'react'
import type { JoinRequest } from '../../../../wire/joining.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { decideJoinRequest } from '../../../data/administration/joining.ts'
import { Button } from '../../../ui/Button.tsx'
import { announce } from '../../../ui/announce.ts'
import { formatDayAndTime } from '../../../ui/dates.ts'
import { useAction } from '../../../ui/useAction.ts'
import { SettingsSection } from '../SettingsSection.tsx'
import listStyles from '../SettingsList.module.css'
import styles from './JoiningPane.module.css'

/** Who waits for an approval, oldest first. */
export function JoinRequests({ requests }: { requests: readonly JoinRequest[] }) {
  const list = useRef<HTMLDivElement>(null)
  const action = useAction()
  const decide = async ({ id, name }: JoinRequest, decision: 'approve' | 'decline') => {
    const index = requests.findIndex((one) => one.id === id)
    const next = requests[index + 1] ?? requests[index - 1]
    const outcome = await action.run(() => decideJoinRequest(id, decision))
    if (!outcome) return
    announce(
      decision === 'approve'
        ? i18n._('{name} is now a member.', { name })
        : i18n._('{name}’s request was declined.', { name }),
    )
    // The focused button is gone: keyboards continue with the next request.
    const following = next && list.current?.querySelector<HTMLElement>(`[data-approve="${next.id}"]`)
    ;(following ?? list.current)?.focus()
  }
  return (
    <SettingsSection title={i18n._('Requests to join')}>
      <div ref={list} tabIndex={-1}>
        {requests.length === 0 ? (
          <p className="muted">{i18n._('Nobody is waiting.')}</p>
        ) : (
          <ul className={listStyles.list}>
            {requests.map((request) => (
              <li key={request.id} className={listStyles.row}>
                <div className={listStyles.details}>
                  <p>
                    <bdi className={listStyles.name}>{request.name}</bdi>{' '}
                    <span className="muted">{isolateBidi(request.email)}</span>
                  </p>
                  {request.note ? (
                    <p className={styles.note} dir="auto">
                      {request.note}
                    </p>
                  ) : null}
                  <p className="note">
                    {formatDayAndTime(request.created_at)}
                    {request.is_former ? ` · ${i18n._('Has or had an account here')}` : null}
                  </p>
                </div>
                <div className={listStyles.buttons}>
                  <Button
                    variant="primary"
                    data-approve={request.id}
                    disabled={action.busy}
                    aria-label={i18n._('Approve {name}', { name: request.name })}
                    onClick={() => void decide(request, 'approve')}
                  >
                    {i18n._('Approve')}
                  </Button>
                  <Button
                    disabled={action.busy}
                    aria-label={i18n._('Decline {name}', { name: request.name })}
                    onClick={() => void decide(request, 'decline')}
                  >
                    {i18n._('Decline')}
                  </Button>
                </div>
              </li>
            ))}
          </ul>
        )}
        <div role="alert">{action.failure ? <p>{action.failure}</p> : null}</div>
      </div>
    </SettingsSection>
  )
}
