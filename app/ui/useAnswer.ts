import { useEffect, useState } from 'react'

type Outcome<T> = { ok: true; value: T } | { ok: false; failure: { sentence: string } }

/** Asks once when drawn: null while the answer is awaited. `ask` must keep its identity. */
export function useAnswer<T>(ask: () => Promise<Outcome<T>>): Outcome<T> | null {
  const [answer, setAnswer] = useState<{ ask: unknown; outcome: Outcome<T> } | null>(null)
  useEffect(() => {
    let wanted = true
    void ask().then((outcome) => {
      if (wanted) setAnswer({ ask, outcome })
    })
    return () => {
      wanted = false
    }
  }, [ask])
  return answer?.ask === ask ? answer.outcome : null
}
