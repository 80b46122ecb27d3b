import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { JoinableWorkspace } from '../../../../wire/joining.ts'
import { LIMITS } from '../../../../wire/limits.ts'
import { joinWorkspace, requestToJoin, withdrawJoinRequest } from '../../../data/workspaces/joinWorkspaces.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatDate, formatDayAndTime } from '../../../ui/dates.ts'
import { Form } from '../../../ui/Form.tsx'
import { adoptLanguage } from '../../../ui/language.ts'
import { TextArea } from '../../../ui/TextArea.tsx'
import styles from '../../../features/flows/account/account.module.css'
import { useAction } from '../../../ui/useAction.ts'

interface Props {
  workspace: JoinableWorkspace
  /** The entered name; null if the account has one. */
  name: string | null
}

/** A workspace that the user can join, request to join, or has requested to join. */
export function JoinableWorkspaceCard({ workspace, name }: Props) {
  const { id, admission, request } = workspace
  const [isWriting, setWriting] = useState(false)
  const [note, setNote] = useState('')
  const action = useAction()
  const identity = name === null ? {} : { person_name: name }
  const lacksName = name === ''
  const join = async () => {
    const outcome = await joinWorkspace({ workspace: id, ...identity })
    if (outcome.ok) adoptLanguage(outcome.value.workspace.language)
    return outcome
  }
  return (
    <section className={styles.card} aria-label={workspace.name}>
      <h2 className={styles.cardTitle} dir="auto">
        {workspace.name}
      </h2>
      {request?.state === 'waiting' ? (
        <>
          <p className="muted" role="status">
            {i18n._('Waiting for approval since {date}. You’ll get in as soon as an admin approves.', {
              date: formatDayAndTime(request.created_at),
            })}
          </p>
          {request.note ? <p dir="auto">{request.note}</p> : null}
          <div>
            <Button busy={action.busy} onClick={() => void action.run(() => withdrawJoinRequest(request.id))}>
              {i18n._('Withdraw')}
            </Button>
          </div>
        </>
      ) : request?.may_request_at ? (
        <p className="muted" role="status">
          {i18n._('Your request was declined. You can ask again from {date}.', {
            date: formatDate(request.may_request_at),
          })}
        </p>
      ) : admission === 'join' ? (
        <>
          <p className="muted">{i18n._('Your email address lets you join right away.')}</p>
          <div>
            <Button
              variant="primary"
              busy={action.busy}
              disabled={lacksName}
              onClick={() => void action.run(join)}
            >
              {i18n._('Join {workspace}', { workspace: workspace.name })}
            </Button>
          </div>
        </>
      ) : isWriting ? (
        <Form
          action={i18n._('Send request')}
          isDisabled={lacksName}
          run={() => requestToJoin({ workspace: id, note: note.trim(), ...identity })}
          onDone={() => setWriting(false)}
          after={<Button onClick={() => setWriting(false)}>{i18n._('Cancel')}</Button>}
        >
          <TextArea
            label={i18n._('Note to the admins')}
            hint={i18n._('Optional. They see your name and email address too.')}
            autoFocus
            maxLength={LIMITS.joinNoteCharacters}
            value={note}
            onChange={setNote}
          />
        </Form>
      ) : (
        <>
          <p className="muted">{i18n._('An admin decides whether you can join.')}</p>
          <div>
            <Button onClick={() => setWriting(true)}>{i18n._('Ask to join')}</Button>
          </div>
        </>
      )}
      <div role="alert">{action.failure ? <p>{action.failure}</p> : null}</div>
    </section>
  )
}
