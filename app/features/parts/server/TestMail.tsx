import { i18n } from '@lingui/core'
import { useState, type ReactNode } from 'react'
import { confirmTestMail } from '../../../data/administration/firstSteps.ts'
import type { Outcome } from '../../../data/failures/failures.ts'
import { Button } from '../../../ui/Button.tsx'
import { useAction } from '../../../ui/useAction.ts'
import styles from './serverActions.module.css'

interface Sent {
  recipient: string
  /** Why the mail server has not accepted the mail; null: it has. */
  problem: string | null
}

interface Props<S extends Sent> {
  send: () => Promise<Outcome<S>>
  renderProblem: (sent: S & { problem: NonNullable<S['problem']> }) => ReactNode
}

const hasProblem = <S extends Sent>(sent: S): sent is S & { problem: NonNullable<S['problem']> } =>
  sent.problem !== null

/** Sends a test mail to the reader, who then confirms that it has arrived. */
export function TestMail<S extends Sent>({ send, renderProblem }: Props<S>) {
  const [sent, setSent] = useState<S | null>(null)
  const [isConfirmed, setConfirmed] = useState(false)
  const sending = useAction()
  const confirming = useAction()
  const start = async () => {
    setSent(null)
    setConfirmed(false)
    const done = await sending.run(send)
    if (done) setSent(done.value)
  }
  const confirm = async () => {
    if (await confirming.run(confirmTestMail)) setConfirmed(true)
  }
  const hasFailed = sending.failure !== null || (sent !== null && hasProblem(sent))
  const isUnconfirmed = sent !== null && sent.problem === null && !isConfirmed
  return (
    <>
      <Button busy={sending.busy} onClick={() => void start()}>
        {hasFailed ? i18n._('Try again') : sent ? i18n._('Send another one') : i18n._('Send me a test email')}
      </Button>
      <div className={styles.result}>
        <div role="status">
          {isUnconfirmed ? (
            <p>{i18n._('An email is on its way to {email}. Has it arrived?', { email: sent.recipient })}</p>
          ) : null}
          {isConfirmed ? <p>{i18n._('The test email has arrived.')}</p> : null}
          {sent && hasProblem(sent) ? renderProblem(sent) : null}
        </div>
        {isUnconfirmed ? (
          <Button variant="primary" busy={confirming.busy} onClick={() => void confirm()}>
            {i18n._('It has arrived')}
          </Button>
        ) : null}
        {sending.failure || confirming.failure ? (
          <p role="alert">{sending.failure || confirming.failure}</p>
        ) : null}
      </div>
    </>
  )
}
