import { useEffect, useState } from 'react'

type Outcome<T> = { ok: true; value: T } | { ok: false; failure: { sentence: string } }

/**
 * Asks once when drawn: null while the answer is awaited. `ask` must keep its identity. Asks again when `turn`
 * changes; what was answered stays until then.
 */
export function useAnswer<T>(ask: (turn: number) => Promise<Outcome<T>>, turn = 0): Outcome<T> | null {
  const [answer, setAnswer] = useState<{ ask: unknown; outcome: Outcome<T> } | null>(null)
  useEffect(() => {
    let wanted = true
    void ask(turn).then((outcome) => {
      if (wanted) setAnswer({ ask, outcome })
    })
    return () => {
      wanted = false
    }
  }, [ask, turn])
  return answer?.ask === ask ? answer.outcome : null
}
