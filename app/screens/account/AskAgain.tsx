import { i18n } from '@lingui/core'
import { useEffect, useState } from 'react'
import type { Outcome } from '../../data/failures/failures.ts'
import { Button } from '../../ui/Button.tsx'
import { useNotice } from '../../ui/notice.ts'

interface Props {
  label: string
  /** Said when it is on its way. */
  sent: string
  again: () => Promise<Outcome>
}

/** Asks for another code, not before the time that the server names. */
export function AskAgain({ label, sent, again }: Props) {
  const notice = useNotice()
  const [busy, setBusy] = useState(false)
  const [seconds, wait] = useWaiting()
  const ask = async () => {
    if (seconds > 0) return
    setBusy(true)
    const outcome = await again()
    setBusy(false)
    if (outcome.ok) return notice({ words: sent })
    if (outcome.failure.seconds) wait(outcome.failure.seconds)
    notice({ words: outcome.failure.sentence })
  }
  return (
    <Button look="quiet" busy={busy} onClick={() => void ask()}>
      {seconds > 0 ? i18n._('{label} (in {seconds} s)', { label, seconds }) : label}
    </Button>
  )
}

/** Seconds that are left to wait, and how to begin to. */
function useWaiting(): [number, (seconds: number) => void] {
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
  const begin = (seconds: number) => {
    setNow(Date.now())
    setUntil(Date.now() + seconds * 1000)
  }
  return [Math.max(0, Math.ceil((until - now) / 1000)), begin]
}
