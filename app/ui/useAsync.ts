import { useEffect, useState } from 'react'

type Outcome<T> = { ok: true; value: T } | { ok: false; failure: { message: string } }

/**
 * Calls `load` on mount: null until it resolves. `load` must keep its identity. Called again when `reloadKey`
 * changes; the previous result is kept until then.
 */
export function useAsync<T>(
  load: (reloadKey: number) => Promise<Outcome<T>>,
  reloadKey = 0,
): Outcome<T> | null {
  const [result, setResult] = useState<{ load: unknown; outcome: Outcome<T> } | null>(null)
  useEffect(() => {
    let isCurrent = true
    void load(reloadKey).then((outcome) => {
      if (isCurrent) setResult({ load, outcome })
    })
    return () => {
      isCurrent = false
    }
  }, [load, reloadKey])
  return result?.load === load ? result.outcome : null
}
