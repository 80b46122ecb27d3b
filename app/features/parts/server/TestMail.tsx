import { i18n } from '@lingui/core'
import { useState, type ReactNode } from 'react'
import { confirmTestMail } from '../../../data/administration/firstSteps.ts'
import type { Outcome } from '../../../data/failures/failures.ts'
import { Button } from '../../../ui/Button.tsx'
import { useAction } from '../../../ui/useAction.ts'
import styles from './TestMail.module.css'

interface Props<Sent> {
  /** Sends the mail. */
  send: () => Promise<Outcome<Sent>>
  /** Describes why the mail server has not accepted the mail. */
  describeProblem: (sent: Sent) => ReactNode
}

/** Sends a test mail to the reader, who then confirms that it has arrived. */
export function TestMail<Sent extends { recipient: string; problem: string | null }>({
  send,
  describeProblem,
}: Props<Sent>) {
  const [sent, setSent] = useState<Sent | null>(null)
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
  const isAsked = sent !== null && sent.problem === null && !isConfirmed
  return (
    <>
      <div role="status" className={styles.result}>
        {isAsked ? (
          <p>{i18n._('An email is on its way to {email}. Has it arrived?', { email: sent.recipient })}</p>
        ) : null}
        {isConfirmed ? <p>{i18n._('Emails from this server arrive.')}</p> : null}
        {sent && sent.problem !== null ? describeProblem(sent) : null}
      </div>
      {sending.failure || confirming.failure ? (
        <p role="alert" className={styles.result}>
          {sending.failure || confirming.failure}
        </p>
      ) : null}
      {isAsked ? (
        <Button variant="primary" busy={confirming.busy} onClick={() => void confirm()}>
          {i18n._('It has arrived')}
        </Button>
      ) : null}
      <Button busy={sending.busy} onClick={() => void start()}>
        {sent ? i18n._('Send another one') : i18n._('Send me a test email')}
      </Button>
    </>
  )
}
