import { i18n } from '@lingui/core'
import { useEffect, useState } from 'react'
import type { Outcome } from '../../data/failures.ts'
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
  const [until, setUntil] = useState(0)
  const seconds = useSecondsUntil(until)
  const ask = async () => {
    if (seconds > 0) return
    setBusy(true)
    const outcome = await again()
    setBusy(false)
    if (outcome.ok) return notice({ words: sent })
    if (outcome.failure.seconds) setUntil(Date.now() + outcome.failure.seconds * 1000)
    notice({ words: outcome.failure.sentence })
  }
  return (
    <Button look="quiet" busy={busy} onClick={() => void ask()}>
      {seconds > 0 ? i18n._('{label} (in {seconds} s)', { label, seconds }) : label}
    </Button>
  )
}

function useSecondsUntil(until: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (until <= Date.now()) return
    const timer = setInterval(() => {
      setNow(Date.now())
      if (Date.now() >= until) clearInterval(timer)
    }, 500)
    return () => clearInterval(timer)
  }, [until])
  return Math.max(0, Math.ceil((until - Math.max(now, 0)) / 1000))
}
