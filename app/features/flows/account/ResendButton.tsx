import { i18n } from '@lingui/core'
import { useEffect, useState } from 'react'
import type { Outcome } from '../../../data/failures/failures.ts'
import { useMailsStayLocal } from './useMailsStayLocal.ts'
import { Button } from '../../../ui/Button.tsx'
import { useToast } from '../../../ui/toast.ts'

interface Props {
  /** Where the codes are sent, unless the texts name it. */
  by: 'email' | 'phone'
  label?: string
  /** Text of the toast once it is sent. */
  sentText?: string
  resend: () => Promise<Outcome>
}

/** Requests another code, not before the server permits it. */
export function ResendButton({ by, resend, ...texts }: Props) {
  const mailsStayLocal = useMailsStayLocal()
  const { label, sentText } = { ...resendTexts(by, mailsStayLocal), ...texts }
  const showToast = useToast()
  const [busy, setBusy] = useState(false)
  const [seconds, startCountdown] = useCountdown()
  const submit = async () => {
    if (seconds > 0) return
    setBusy(true)
    const outcome = await resend()
    setBusy(false)
    if (outcome.ok) return showToast({ text: sentText })
    if (outcome.failure.seconds) startCountdown(outcome.failure.seconds)
    showToast({ text: outcome.failure.message })
  }
  return (
    <Button variant="quiet" busy={busy} onClick={() => void submit()}>
      {seconds === 0
        ? label
        : seconds <= 90
          ? i18n._('{label} (in {seconds} s)', { label, seconds })
          : i18n._('{label} (in {minutes} min)', { label, minutes: Math.ceil(seconds / 60) })}
    </Button>
  )
}

function resendTexts(by: Props['by'], mailsStayLocal: boolean): { label: string; sentText: string } {
  if (by === 'phone') return { label: i18n._('Resend code'), sentText: i18n._('We sent another code.') }
  return mailsStayLocal
    ? { label: i18n._('Get a new code'), sentText: i18n._('A new code is in the server’s mailbox.') }
    : { label: i18n._('Resend email'), sentText: i18n._('We sent another email.') }
}

/** Remaining seconds, and the function that starts the countdown. */
function useCountdown(): [number, (seconds: number) => void] {
  const [until, setUntil] = useState(0)
  const [now, setNow] = useState(0)
  useEffect(() => {
    if (until <= Date.now()) return
    const timer = setInterval(() => {
      setNow(Date.now())
      if (Date.now() >= until) clearInterval(timer)
    }, 500)
    return () => clearInterval(timer)
  }, [until])
  const start = (seconds: number) => {
    setNow(Date.now())
    setUntil(Date.now() + seconds * 1000)
  }
  return [Math.max(0, Math.ceil((until - now) / 1000)), start]
}
