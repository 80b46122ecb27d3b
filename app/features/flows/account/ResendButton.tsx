import { i18n } from '@lingui/core'
import { useEffect, useState } from 'react'
import type { Outcome } from '../../../data/failures/failures.ts'
import { Button } from '../../../ui/Button.tsx'
import { useToast } from '../../../ui/toast.ts'

interface Props {
  label: string
  /** Text of the toast once it is sent. */
  sentText: string
  resend: () => Promise<Outcome>
}

/** Requests another code, not before the server permits it. */
export function ResendButton({ label, sentText, resend }: Props) {
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
      {seconds > 0 ? i18n._('{label} (in {seconds} s)', { label, seconds }) : label}
    </Button>
  )
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
